"""What a program on the library `websockets` does for media: `send PORT FILE [CA]` or `receive PORT FILE [CA]`."""

import asyncio
import ssl
import sys

import uvloop
import websockets

from media import HELLO, Writer, frames


async def main(what, port, path, authority=None):
    context = ssl.create_default_context(cafile=authority) if authority else None
    scheme = "wss" if authority else "ws"
    async with websockets.connect(f"{scheme}://127.0.0.1:{port}/ws", ssl=context, max_size=None) as socket:
        await socket.send(HELLO)
        await socket.recv()
        if what == "send":
            for text in frames(path):
                await socket.send(text)
            await (await socket.ping())
        else:
            writer = Writer(path)
            while not writer.take(await socket.recv()):
                pass


uvloop.run(main(*sys.argv[1:]))
