#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py ROOT NAME VERSION: what a root file system of Debian is made of, as SPDX 2.3 in JSON on standard
output, read from dpkg's own list. The same list gives the same document; it is dated by
SOURCE_DATE_EPOCH."""

import datetime
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import quote


def paragraphs(text):
    """The fields of each paragraph; lines that continue a field are left out."""
    for paragraph in re.split(r"\n{2,}", text.strip()):
        yield dict(re.findall(r"(?m)^([A-Za-z-]+): *(.*)$", paragraph))


def installed(root):
    status = root / "var/lib/dpkg/status"
    files = [status, *sorted((root / "var/lib/dpkg/status.d").glob("*"))]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file() and not file.name.endswith(".md5sums")]
    if not texts:
        raise SystemExit(f"sbom.py: {status}: there is no list of dpkg")
    found = [fields for text in texts for fields in paragraphs(text) if fields.get("Status", "x installed").endswith(" installed")]
    return sorted(found, key=lambda fields: (fields["Package"], fields["Architecture"]))


def package_of(fields):
    name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
    source = re.match(r"(\S+)(?: \((.*)\))?$", fields.get("Source", name))
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{architecture}"),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: " + re.sub(r" *<.*", "", fields.get("Maintainer", "Debian")),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "Apache-2.0" if source[1] == "signpost" else "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from {source[1]} {source[2] or version}",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}&distro=debian-12",
        }],
    }


def document(root, name, version):
    packages = [package_of(fields) for fields in installed(root)]
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"urn:signpost:sbom:{name}:{version}:{digest}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: signpost-sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": package["SPDXID"]}
                          for package in packages],
    }


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit("usage: sbom.py ROOT NAME VERSION")
    json.dump(document(Path(sys.argv[1]), *sys.argv[2:]), sys.stdout, indent=1)
    print()
