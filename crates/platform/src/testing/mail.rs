//! A mail server on loopback.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// Starts a mail server that takes everything.
#[expect(clippy::disallowed_methods, reason = "the task ends with the test")]
pub async fn mail_server(mails: Arc<Mutex<Vec<String>>>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port is free");
    let address = listener.local_addr().expect("a bound socket has an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (mut lines, mut answer) = {
                let (read, write) = stream.into_split();
                (BufReader::new(read).lines(), write)
            };
            let _ = answer.write_all(b"220 mail.example\r\n").await;
            let mut mail: Option<String> = None;
            while let Ok(Some(line)) = lines.next_line().await {
                let reply: &[u8] = match (&mut mail, line.as_str()) {
                    (Some(text), ".") => {
                        mails.lock().expect("no one panics while holding mails").push(std::mem::take(text));
                        mail = None;
                        b"250 taken\r\n"
                    }
                    (Some(text), line) => {
                        text.push_str(line);
                        text.push('\n');
                        continue;
                    }
                    (None, "DATA") => {
                        mail = Some(String::new());
                        b"354 go on\r\n"
                    }
                    (None, "QUIT") => b"221 bye\r\n",
                    (None, _) => b"250 fine\r\n",
                };
                if answer.write_all(reply).await.is_err() {
                    break;
                }
            }
        }
    });
    address
}
