"""One server for the bundles of a session.

The viewers have one address, so a browser does not load them twice.
"""

from tlparse_bundle.serve.http.app import create_app

BLANK = "/blank"  # an empty page


class OneServer:
    """An application in which each bundle has its own one, below /bundles/."""

    def __init__(self):
        self._apps = {}
        self._folders = {}
        self._any = create_app({})  # for viewers and the icon, which are the same with any bundle

    def add(self, folder, name=None):
        """Return the name of a bundle, a free one when none is given."""
        name = name or f"run{len(self._apps)}"
        self._apps[name] = create_app({name: folder})
        self._folders[name] = folder
        return name

    def _there(self):
        """Return the bundles that still exist; those of a test are removed when it ends."""
        return {name: folder for name, folder in self._folders.items() if folder.exists()}

    async def __call__(self, scope, receive, send):
        path = scope["path"]
        if path == BLANK:
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]}
            )
            await send({"type": "http.response.body", "body": b"<!doctype html>"})
            return
        name = path.split("/")[2] if path.startswith("/bundles/") else None
        app = (
            create_app(self._there())
            if path in ("/comparison.json", "/comparison.html")
            else self._apps.get(name, self._any)
        )
        await app(scope, receive, _kept(send) if path.startswith("/viewers/") else send)


def _kept(send):
    """Let the browser cache viewers, which don't change while tests run.

    (tests/serve tests the real headers.)
    """

    async def answer(message):
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, b"max-age=86400" if name.lower() == b"cache-control" else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return answer
