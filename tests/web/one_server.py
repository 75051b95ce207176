"""One server for the bundles of a session.

The viewers have one address then, and a browser that has read them does not ask again.
"""

from tlparse_bundle.serve.http.app import create_app

BLANK = "/blank"  # a page with nothing on it


class OneServer:
    """An application: each bundle has one of ours, and a name below /bundles/."""

    def __init__(self):
        self._apps = {}
        self._folders = {}
        self._any = create_app({})  # for what is the same with any bundle: viewers, the icon

    def add(self, folder, name=None):
        """The name of a bundle, one that is free when none is given."""
        name = name or f"run{len(self._apps)}"
        self._apps[name] = create_app({name: folder})
        self._folders[name] = folder
        return name

    def _there(self):
        """The bundles that are still there: those of a test go when it ends."""
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
    """Viewers do not change while tests run: the browser need not ask whether they did.

    (What it is told else: tests/serve.)
    """

    async def answer(message):
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, b"max-age=86400" if name.lower() == b"cache-control" else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return answer
