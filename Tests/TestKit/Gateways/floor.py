"""What a Hermes gateway without any extension does with frames; the WebSocket library stands in the scripts beside."""

import argparse
import base64
import hashlib
import json
import os
import re
import ssl
import uuid

PART_BYTES = 3 << 20


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--token", default="secret")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--media-dir", required=True)
    parser.add_argument("--max-message", type=int, help="bytes; the library's own limit if left out")
    parser.add_argument("--drop-after-part", type=int, help="cut the connection once, when this part (from 0) is here")
    parser.add_argument("--send", metavar="FILE", help="a medium for the client, as soon as it is ready")
    parser.add_argument("--send-url", metavar="URL", help="send this link in place of the bytes")
    return parser.parse_args()


def tell(**line):
    print(json.dumps(line), flush=True)


def tls_context(options):
    if options.tls is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*options.tls)
    return context


class Gateway:
    """What outlives a connection."""

    def __init__(self, options):
        self.options = options
        self.has_dropped = False
        self.sent_id = str(uuid.uuid4())

    def refuses(self, query):
        """Whether the upgrade is answered with 403: its token is wrong. One that is missing may come with hello."""
        return query.get("token", self.options.token) != self.options.token


class Session:
    """One connection. `connection` has send(text), close(code, reason) and drop(), all but the last to be awaited."""

    def __init__(self, gateway, connection, query):
        self.gateway = gateway
        self.connection = connection
        self.is_admitted = "token" in query
        self.is_ready = False
        # The parts of each medium that is not whole. They go with the connection.
        self.parts = {}

    async def take(self, text):
        """Takes one message; false when the connection is over."""
        frame = json.loads(text)
        kind = frame.get("t")
        if not self.is_ready and kind != "hello":
            await self.connection.close(1008, "hello comes first")
            return False
        answer = {"hello": self.hello, "text": self.text, "prompt": self.prompt, "media": self.media}.get(kind)
        return True if answer is None else await answer(frame)

    async def send(self, **frame):
        await self.connection.send(json.dumps(frame))

    async def hello(self, frame):
        options = self.gateway.options
        if not self.is_admitted and frame.get("token") != options.token:
            await self.connection.close(1008, "access denied")
            return False
        self.is_ready = True
        tell(hello=frame["device"]["id"], platform=frame["device"].get("platform"), v=frame["v"])
        await self.send(t="ready")
        if options.send or options.send_url:
            await self.send_media(options)
        return True

    async def text(self, frame):
        tell(text=frame["text"], id=frame["id"])
        await self.send(t="message", id=f"re-{frame['id']}", text=frame["text"])
        return True

    async def prompt(self, frame):
        tell(prompt=frame["prompt_id"], option=frame["option_id"], text=frame.get("text"))
        await self.send(t="prompt_done", id=frame["prompt_id"], option_id=frame["option_id"])
        return True

    async def media(self, frame):
        name, index, count = frame["id"], frame["part"], frame["parts"]
        known = self.parts.get(name)
        if known is None or known["count"] != count:
            known = self.parts[name] = {"count": count, "bytes": {}, "caption": None}
        known["bytes"][index] = base64.b64decode(frame["data"], validate=True)
        known["caption"] = frame.get("caption", known["caption"])
        tell(part=index, parts=count, id=name)
        if len(known["bytes"]) == count:
            self.store(frame, self.parts.pop(name))
        if index == self.gateway.options.drop_after_part and not self.gateway.has_dropped:
            self.gateway.has_dropped = True
            tell(drop=index)
            self.connection.drop()
            return False
        return True

    def store(self, frame, known):
        whole = b"".join(known["bytes"][index] for index in range(known["count"]))
        name = re.sub("[^A-Za-z0-9-]", "_", frame["id"])
        with open(os.path.join(self.gateway.options.media_dir, f"{name}.bin"), "wb") as file:
            file.write(whole)
        tell(media=frame["id"], bytes=len(whole), sha256=hashlib.sha256(whole).hexdigest(), kind=frame["kind"],
             mime=frame["mime"], filename=frame.get("filename"), caption=known["caption"])

    async def send_media(self, options):
        path = options.send or options.send_url
        head = {"t": "media", "id": self.gateway.sent_id, "kind": "document", "mime": "application/octet-stream",
                "filename": os.path.basename(path)}
        if options.send_url:
            await self.send(**head, url=options.send_url, caption="from the gateway")
            return
        with open(path, "rb") as file:
            whole = file.read()
        count = max(1, -(-len(whole) // PART_BYTES))
        for index in range(count):
            piece = whole[index * PART_BYTES:(index + 1) * PART_BYTES]
            caption = {"caption": "from the gateway"} if index in (0, count - 1) else {}
            await self.send(**head, **caption, part=index, parts=count, data=base64.b64encode(piece).decode())
