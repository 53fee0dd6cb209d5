//! Features that a render does not have: pictures and videos are not fetched, permissions are denied. Pages get the results of a
//! visitor's browser. Canvases, files and locks are awaited.

use crate::article::{article, assert_shows};
use crate::support::Bench;

async fn shows(script: &str, shown: &str) {
    let bench = Bench::new().await;

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[shown]);
}

#[tokio::test]
async fn notification_permission_is_denied_to_callbacks_too() {
    shows("Notification.requestPermission((answer) => add(answer))", "denied").await;
}

#[tokio::test]
async fn videos_report_to_be_playable() {
    let shown = "out.innerHTML = '<video src=/film.mp4 muted></video>';
        out.firstChild.addEventListener('canplaythrough', (event) => add('ready ' + event.target.readyState))";
    let detached = "const film = document.createElement('video');
        film.oncanplay = () => add('ready ' + film.readyState);
        film.src = '/film.mp4'";
    for script in [shown, detached] {
        shows(script, "ready 4").await;
    }
}

#[tokio::test]
async fn a_video_without_preload_reports_nothing() {
    let bench = Bench::new().await;
    let script = "out.innerHTML = '<video src=/film.mp4 preload=none></video>';
        out.firstChild.addEventListener('loadeddata', () => add('ready'))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(!page.html.contains("<p>ready</p>"), "{}", page.html);
}

#[tokio::test]
async fn all_kinds_of_pictures_report_to_be_loaded() {
    for script in [
        "const image = new Image; image.onload = () => add('loaded'); image.setAttribute('src', '/a.png')",
        "const image = new Image; image.addEventListener('load', () => add('loaded')); image.setAttribute('src', '/a.png')",
        "out.innerHTML = '<svg><image href=/a.png width=9 height=9 /></svg>';
         out.querySelector('image').addEventListener('load', () => add('loaded'))",
        "const link = document.createElement('link');
         Object.assign(link, { rel: 'preload', as: 'image', href: '/a.png', onload: () => add('loaded') });
         document.head.append(link)",
    ] {
        shows(script, "loaded").await;
    }
}

#[tokio::test]
async fn canvases_files_and_locks_are_awaited() {
    let canvas = "const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 200;
        canvas.getContext('2d').fillRect(0, 0, 99, 99);
        canvas.toBlob((blob) => add('there ' + (blob.size > 0)), 'image/webp', 0.5)";
    let reader = "const reader = new FileReader;
        reader.onload = () => add('there ' + (reader.result.length === 2e7));
        reader.readAsText(new Blob(['x'.repeat(2e7)]))";
    let lock = "navigator.locks.request('init', async () => { await sleep(50); add('there true') })";
    let file = "(async () => {
        const folder = await navigator.storage.getDirectory();
        const file = await folder.getFileHandle('a', { create: true });
        const writer = await file.createWritable();
        await writer.write('kept');
        await writer.close();
        add('there ' + (await (await file.getFile()).text() === 'kept'));
    })()";
    for script in [canvas, reader, lock, file] {
        shows(script, "there true").await;
    }
}

#[tokio::test]
async fn a_detached_picture_has_a_size_after_its_load_event() {
    let script = "const picture = new Image();
        picture.onload = () => add(picture.width > 0 && picture.height > 0 ? 'has a size' : 'is empty');
        picture.src = '/picture.png'";

    shows(script, "has a size").await;
}
