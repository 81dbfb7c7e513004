# The server as a container: docker build -t jackdaw . ; docs/deployment.md tells how to run it.
# .NET 10 has no Debian images. The runtime is copied from Microsoft's image onto Debian, whose package of JavaScriptCore the server's scripts need.
ARG DOTNET=10.0

FROM mcr.microsoft.com/dotnet/sdk:${DOTNET} AS build
ENV DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
WORKDIR /source
COPY global.json Directory.Build.props Directory.Packages.props ./
COPY src/ src/
RUN dotnet publish src/Server --configuration Release --output /app

FROM mcr.microsoft.com/dotnet/aspnet:${DOTNET} AS runtime

FROM debian:12-slim
# openssl makes certificates for compose.yaml; curl is the health check.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    ca-certificates curl libgcc-s1 libjavascriptcoregtk-4.1-0 libssl3 libstdc++6 libzstd1 openssl tzdata zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --system --gid 10001 jackdaw \
  && useradd --system --uid 10001 --gid jackdaw --no-create-home --home-dir /var/lib/jackdaw --shell /usr/sbin/nologin jackdaw \
  && install --directory --owner=jackdaw --group=jackdaw --mode=0750 /var/lib/jackdaw /etc/jackdaw/certificates
COPY --from=runtime /usr/share/dotnet /usr/share/dotnet
COPY --from=build /app /opt/jackdaw
COPY infra/container/make-certificates infra/container/connect-functions infra/container/health /usr/local/bin/

# Diagnostics would open a socket in /tmp. .NET looks for a home folder before it opens a TLS port, whoever the user is.
ENV HOME=/var/lib/jackdaw \
  DOTNET_ROOT=/usr/share/dotnet \
  DOTNET_EnableDiagnostics=0 \
  JACKDAW_ServerUrl=https://0.0.0.0:8443 \
  JACKDAW_DataDir=/var/lib/jackdaw \
  JACKDAW_Security_Certificate_Path=/etc/jackdaw/certificates/server.pfx
USER 10001:10001
WORKDIR /var/lib/jackdaw
VOLUME /var/lib/jackdaw
EXPOSE 8443
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/health"]
# The server closes its databases within ten seconds of this signal.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/jackdaw/Jackdaw.Server"]
