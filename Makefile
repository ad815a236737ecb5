# The scripts do the work; see `make help`.
PREFIX ?= /usr/local
DESTDIR ?=
RELEASE = .build/release
PROGRAMS = hermes-transfer hermes-gateway

.PHONY: autobahn help build test demo bench lint install uninstall clean

help:
	@echo 'make build | test | demo | lint | clean | bench [WORK=download|small-files|lossy-line|session|start]'
	@echo 'make install | uninstall   (PREFIX=$(PREFIX) DESTDIR=$(DESTDIR))'

build:
	scripts/build

test:
	scripts/test

demo:
	scripts/demo

# The Autobahn|Testsuite against our WebSocket, where it can be had.
autobahn:
	scripts/autobahn

bench:
	scripts/bench $(WORK)

lint:
	scripts/lint

# Installs what `make build` left, so that root need not build.
install:
	scripts/install '$(DESTDIR)' '$(PREFIX)'

uninstall:
	scripts/install --undo '$(DESTDIR)' '$(PREFIX)'

clean:
	rm -rf .build .build-address .build-thread Benchmarks/.work
