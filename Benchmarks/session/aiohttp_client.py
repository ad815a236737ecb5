"""What a program on the library `aiohttp` does for media: `send PORT FILE [CA]` or `receive PORT FILE [CA]`."""

import ssl
import sys

import aiohttp
import uvloop

from media import HELLO, Writer, frames


async def main(what, port, path, authority=None):
    context = ssl.create_default_context(cafile=authority) if authority else True
    scheme = "wss" if authority else "ws"
    async with aiohttp.ClientSession() as session:
        url = f"{scheme}://127.0.0.1:{port}/ws"
        async with session.ws_connect(url, ssl=context, max_msg_size=0, autoping=True) as socket:
            await socket.send_str(HELLO)
            await socket.receive()
            if what == "send":
                for text in frames(path):
                    await socket.send_str(text)
                await socket.ping()
            else:
                writer = Writer(path)
                while not writer.take((await socket.receive()).data):
                    pass


uvloop.run(main(*sys.argv[1:]))
