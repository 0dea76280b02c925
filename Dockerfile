# An image of the released binary and nothing else. deploy/release makes what is copied:
#
#   deploy/release dist linux/amd64
#   docker build -f Dockerfile -t pressroom dist
#   docker run -p 8080:8080 -v pressroom:/data pressroom
#
# Nobody in it has a name or rights of their own, and there is no shell. The newsroom keeps
# everything under /data; its settings are variables such as PRESSROOM_PUBLIC_URL.
FROM scratch
ARG TARGETOS=linux
ARG TARGETARCH=amd64
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY pressroom-${TARGETOS}-${TARGETARCH} /pressroom
COPY --chown=65532:65532 data /data
COPY --chown=65532:65532 data /tmp
USER 65532:65532
VOLUME /data
ENV PRESSROOM_DATA=/data PRESSROOM_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/pressroom", "health"]
ENTRYPOINT ["/pressroom"]
CMD ["serve"]
