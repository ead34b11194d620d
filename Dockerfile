# SPDX-License-Identifier: Apache-2.0
# signpost on Debian 12, for docker and buildah; scripts/image.sh builds it so that the same sources and
# packages give the same layers. BASE is only a tag by default, which moves with Debian's updates and gives
# no build twice: releases find out its digest once and are pinned to that (.github/workflows/release.yml), and so are builds with
#     --build-arg BASE=docker.io/library/debian:12-slim@sha256:…
# Debian's packages come from their present state, or with SNAPSHOT=20261101T000000Z from that of a day.
ARG BASE=docker.io/library/debian:12-slim

FROM ${BASE} AS build
ARG SNAPSHOT=""
ARG SOURCE_DATE_EPOCH=0
COPY scripts/install-packages.sh scripts/apt-snapshot.sh /src/scripts/
RUN /src/scripts/apt-snapshot.sh "$SNAPSHOT" && /src/scripts/install-packages.sh build package
COPY . /src
RUN cmake -S /src -B /build -DCMAKE_BUILD_TYPE=Release -G Ninja \
    && cmake --build /build \
    && cd /build && SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" cpack -G DEB -B /packages

FROM ${BASE}
ARG SNAPSHOT=""
# dehydrated is for tls.acme alone. What apt and dpkg leave behind tells when it was, and nobody needs it.
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    --mount=type=bind,from=build,source=/src/scripts,target=/scripts \
    /scripts/apt-snapshot.sh "$SNAPSHOT" \
    && apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /packages/signpost_*.deb dehydrated \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/cache/ldconfig/* /var/log/* \
        /var/lib/dpkg/*-old /usr/share/doc/signpost/examples /tmp/*
COPY examples/config/container.json /etc/signpost/signpost.json
ARG VERSION=""
ARG REVISION=""
ARG BASE
LABEL org.opencontainers.image.title="signpost" \
      org.opencontainers.image.description="HTTP redirects whose rules live in DNS" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE}"
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=3s CMD ["/usr/bin/signpost", "health"]
ENTRYPOINT ["/usr/bin/signpost"]
CMD ["serve", "--config", "/etc/signpost/signpost.json"]
