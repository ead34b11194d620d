# SPDX-License-Identifier: Apache-2.0
"""What the samples say, as Markdown."""

import statistics

CLEAN_CORES = 0.2  # more of other work than that makes rates doubtful


def spread(values, form):
    """Median [lowest … highest]."""
    middle, low, high = (form.format(f(values)) for f in (statistics.median, min, max))
    return f"{middle} [{low} … {high}]"


def _ratio(mine, other, field="rate"):
    """Round by round: what else the machine did meets both."""
    if not other:
        return "–"  # was not measured
    return spread([one[field] / two[field] for one, two in zip(mine, other)], "{:.2f}")


def _table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, align, *rows])


def _series_table(series, servers):
    samples, rows = series["samples"], []
    for server in servers:
        if server["base"]:
            continue
        mine = samples[server["key"]]

        def middle(field):
            return statistics.median(sample[field] for sample in mine)

        rows.append(
            [
                server["title"],
                spread([sample["rate"] for sample in mine], "{:,.0f}"),
                f"{middle('server_us'):.1f}",
                f"{middle('p50_ms'):.2f}",
                f"{middle('p99_ms'):.2f}",
                _ratio(mine, samples.get("nginx")),
                _ratio(mine, samples.get("h2o")),
            ]
        )
    head = ["server", "requests/s", "CPU µs each", "p50 ms", "p99 ms", "to nginx", "to h2o"]
    return _table(head, rows)


def _log_table(report):
    rows = []
    for server in report["servers"]:
        if server["base"]:
            cells = [
                _ratio(series["samples"][server["key"]], series["samples"].get(server["base"]))
                for series in report["series"]
            ]
            rows.append([server["title"], *cells])
    return _table(["access log on, against off", *(s["title"] for s in report["series"])], rows)


def _generator_table(report):
    """Both generators against the same server: nginx, without a log."""
    by_name = {
        series["generator"]: series["samples"].get("nginx", [])
        for series in report["series"]
        if series["http"] == "1.1"
    }
    rows = [
        [
            name,
            spread([sample["rate"] for sample in samples], "{:,.0f}"),
            _ratio(samples, by_name["wrk"]),
            spread([sample["generator_us"] for sample in samples], "{:.1f}"),
            _ratio(samples, by_name["wrk"], "generator_us"),
        ]
        for name, samples in by_name.items()
        if samples
    ]
    head = ["generator, against nginx", "requests/s", "to wrk", "its own CPU µs each", "to wrk"]
    return _table(head, rows)


def _machine(report):
    machine, options = report["machine"], report["options"]
    foreign = statistics.median(
        sample["foreign_cores"]
        for series in report["series"]
        for samples in series["samples"].values()
        for sample in samples
    )
    text = (
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}; one worker on a "
        f"core of its own, {options['hosts']} hosts; medians of {options['rounds']} × "
        f"{options['seconds']} s [lowest … highest]; {report['started']}."
    )
    if foreign > CLEAN_CORES:
        text += f" Other programs took {foreign:.1f} cores meanwhile: measure again when it is quiet."
    return text


def markdown(report):
    parts = [_machine(report)]
    for series in report["series"]:
        parts += [f"**{series['title']}**", _series_table(series, report["servers"])]
    keys = {server["key"] for server in report["servers"]}
    if any(server["base"] for server in report["servers"]):
        parts.append(_log_table(report))
    if "nginx" in keys:
        parts.append(_generator_table(report))
    return "\n\n".join(parts) + "\n"
