//! A tunnel between a client and an origin after both have switched protocols. Used by forwarding.
//! Must never outlive its use: clients that have vanished send nothing, not even an end.
//! See docs/decisions/0019.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional};
use tokio::time::Instant;

use super::body::BodyProgress;

/// Copies in both directions until one side ends, or until neither has sent a byte for `idle`.
pub async fn join(
    client: OnUpgrade,
    origin: OnUpgrade,
    idle: Duration,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (client, origin) = tokio::time::timeout(idle, async { tokio::try_join!(client, origin) }).await??;
    Ok(copy(TokioIo::new(client), TokioIo::new(origin), idle).await?)
}

async fn copy<A, B>(client: A, origin: B, idle: Duration) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let progress = BodyProgress::start();
    let mut client = WatchedSide { stream: client, progress: progress.clone() };
    let mut origin = WatchedSide { stream: origin, progress: progress.clone() };
    let mut copying = std::pin::pin!(copy_bidirectional(&mut client, &mut origin));
    loop {
        let deadline = progress.last() + idle;
        tokio::select! {
            copied = &mut copying => return copied.map(drop),
            () = tokio::time::sleep_until(deadline) => {
                if progress.last() + idle <= Instant::now() {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "nobody used it"));
                }
            }
        }
    }
}

/// One side of a tunnel, whose traffic counts as progress.
struct WatchedSide<S> {
    stream: S,
    progress: BodyProgress,
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedSide<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let side = self.get_mut();
        let before = buffer.filled().len();
        let polled = Pin::new(&mut side.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            side.progress.mark();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedSide<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, data)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const IDLE: Duration = Duration::from_millis(300);

    #[tokio::test]
    async fn a_tunnel_that_nobody_uses_ends() {
        let (_client, near) = duplex(64);
        let (_origin, far) = duplex(64);
        let start = Instant::now();

        let ended = copy(near, far, IDLE).await;

        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= IDLE);
    }

    #[tokio::test]
    async fn bytes_in_one_direction_keep_a_tunnel_open() {
        let (mut client, near) = duplex(64);
        let (mut origin, far) = duplex(64);
        let talk = async {
            for _ in 0..6 {
                tokio::time::sleep(IDLE / 2).await;
                origin.write_all(b"x").await.unwrap();
                client.read_u8().await.unwrap();
            }
        };

        tokio::select! {
            ended = copy(near, far, IDLE) => panic!("{ended:?}"),
            () = talk => {}
        }
    }
}
