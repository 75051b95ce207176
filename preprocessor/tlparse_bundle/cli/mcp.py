"""The command mcp."""

from __future__ import annotations

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import port_option
from tlparse_bundle.cli.output import say


@click.command()
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE...", shell_complete=complete_paths)
@click.option(
    "--http", is_flag=True, help="Serve over HTTP on loopback at /mcp, instead of standard input and output."
)
@port_option
@click.option(
    "--no-token",
    "with_token",
    is_flag=True,
    flag_value=False,
    default=True,
    help="With --http: allow requests from every user of this machine.",
)
@click.option(
    "--viewer",
    metavar="URL",
    help=("Address that 'tlparse-bundle serve' printed for the same bundles. Answers then link to pages."),
)
def mcp(bundles: tuple[str, ...], http: bool, port: int | None, with_token: bool, viewer: str | None) -> None:
    """Answer questions from language models about bundles, over MCP.

    Install it with: pip install 'tlparse-bundle[mcp]'. The tools are read-only, and the size of an answer is
    limited. They are overview, findings, compiles, compile, artifact, search, compare, ranks, timeline and
    sql.

    \b
    Example:
      claude mcp add trace -- tlparse-bundle mcp /path/to/out
      tlparse-bundle mcp out/ --http
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.catalogue import url_names
    from tlparse_bundle.serve.http.server import listen

    try:
        from tlparse_bundle.mcp.open_bundles import Opened
        from tlparse_bundle.mcp.server import PATH, http_app, server
    except ImportError as error:
        raise BundleError(
            f"the package {error.name} is not installed",
            hint="Install it: pip install 'tlparse-bundle[mcp]'",
            code="not-installed",
        ) from None
    for place in bundles:
        Bundle.open(place)  # report a bad path here, not to the model
    opened = Opened(url_names(bundles), viewer)
    if not http:
        server(opened).run("stdio")
        return
    import uvicorn

    from tlparse_bundle.serve.http.access import new_token

    sock, token = listen(port), new_token() if with_token else None
    number = sock.getsockname()[1]
    say(f"http://127.0.0.1:{number}{PATH}", err=True)
    if token:
        say(f"Send the header: Authorization: Bearer {token}", err=True)
    uvicorn.Server(uvicorn.Config(http_app(opened, number, token), log_level="warning")).run(sockets=[sock])
