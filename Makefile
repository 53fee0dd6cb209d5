# The commands of this project. Each is a script in scripts/, which says what it does; nothing else is needed by hand
# on Debian 12 with Rust, Node, git, make and a C compiler.
.PHONY: help web build run demo test test-all check fuzz bench dist release screenshots

help:
	@echo 'make web     builds the dashboard into web/dist, which the binary contains'
	@echo 'make build   builds the dashboard and the service: target/release/glasshouse'
	@echo 'make run     builds and starts the service with the demo shop and its data; prints address and sign-in (DEMO_DATA=no: without the demo)'
	@echo 'make demo    serves the demo shop alone'
	@echo 'make test    what must hold before a change is merged'
	@echo 'make test-all  the same, and the slow end-to-end suites: packages, deployment, integrations'
	@echo 'make check   format, house rules, lints, docs, licences and advisories, unused dependencies, stand-ins of AI vendors, API against its document'
	@echo 'make fuzz    fuzzes what parses strangers'\'' bytes (FUZZ_SECONDS each, default 30)'
	@echo 'make dist    a Debian package, an archive, an SBOM and their checksums in target/packages (ARCH=arm64: cross-compiled)'
	@echo 'make release  packages of both architectures, checksums, notes, images and the tag of the version in Cargo.toml (RELEASE_ARGS=--dry-run …)'
	@echo 'make bench   how fast it is, beside npm prerender and nginx (BENCH_ARGS=--quick for a short run)'
	@echo 'make screenshots  pictures of every screen into docs/pictures, from a world that the service makes itself'

web:
	@scripts/web.sh

build: web
	@cargo build --release --locked --package glasshouse

run:
	@scripts/run.sh

demo:
	@scripts/demo.sh

test:
	@scripts/test.sh

test-all:
	@scripts/test.sh --all

check:
	@scripts/check.sh

fuzz:
	@scripts/fuzz.sh

bench:
	@scripts/bench.sh $(BENCH_ARGS)

dist:
	@scripts/dist.sh $(if $(ARCH),--arch $(ARCH))

release:
	@scripts/release.sh $(RELEASE_ARGS)

screenshots:
	@scripts/screenshots.sh
