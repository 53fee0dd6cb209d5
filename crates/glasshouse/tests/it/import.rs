//! `glasshouse analytics import` as an operator runs it: files, gzip, standard input, a followed log.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::process::{fails, folder, glasshouse, ok};

const IMPORT: [&str; 6] = ["analytics", "import", "--domain", "shop.test", "--format", "combined"];

fn lines(from: usize, to: usize) -> String {
    // Expired days are not counted. One day for the whole run, so that lines are equal.
    static DAY: LazyLock<String> = LazyLock::new(|| {
        let yesterday = jiff::Zoned::now().date().yesterday().expect("a date");
        yesterday.strftime("%d/%b/%Y").to_string()
    });
    let line = |number| {
        format!(
            "203.0.113.9 - - [{day}:11:00:00 +0000] \"GET /{number} HTTP/1.1\" 200 512 \"-\" \"GPTBot/1.2\"\n",
            day = *DAY
        )
    };
    (from..to).map(line).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

/// Creates a data folder with the domain shop.test.
fn shop() -> TempDir {
    let folder = folder();
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);
    ok(folder.path(), &["domain", "add", "shop.test", "--account", "a@shop.test", "--status", "connected"]);
    folder
}

fn import(folder: &Path, file: &str) -> String {
    ok(folder, &[&IMPORT[..], &[file]].concat())
}

#[test]
fn a_log_counts_once_plain_or_compressed() {
    let folder = shop();
    std::fs::write(folder.path().join("access.log.gz"), gzip(&lines(0, 40))).unwrap();
    std::fs::write(folder.path().join("access.log"), lines(0, 50)).unwrap();

    let (compressed, plain) = (import(folder.path(), "access.log.gz"), import(folder.path(), "access.log"));

    assert!(compressed.starts_with("40 visits from 40 lines;"), "{compressed}");
    assert!(plain.starts_with("10 visits from 50 lines; 40 lines were counted before"), "{plain}");
}

#[test]
fn a_log_is_counted_for_the_account_that_is_named_when_two_have_the_domain() {
    let folder = folder();
    for account in ["a@shop.test", "b@shop.test"] {
        ok(folder.path(), &["account", "create", "--email", account, "--password", "secret"]);
        ok(folder.path(), &["domain", "add", "shop.test", "--account", account]);
    }
    std::fs::write(folder.path().join("access.log"), lines(0, 4)).unwrap();
    let of = |account| ok(folder.path(), &[&IMPORT[..], &["--account", account, "access.log"]].concat());

    let refused = fails(&mut glasshouse(folder.path(), &[&IMPORT[..], &["access.log"]].concat(), &[]), 1);
    let (second, again, first) = (of("b@shop.test"), of("b@shop.test"), of("a@shop.test"));

    assert!(refused.contains("several accounts have shop.test; say which with --account E"), "{refused}");
    assert!(second.starts_with("4 visits from 4 lines;") && first.starts_with("4 visits"), "{second}{first}");
    assert!(again.starts_with("0 visits from 4 lines; 4 lines were counted before"), "{again}");
}

#[test]
fn a_domain_is_found_however_its_name_is_written() {
    let folder = shop();
    ok(folder.path(), &["account", "set-plan", "--email", "a@shop.test", "--plan", "agency"]);
    ok(folder.path(), &["domain", "add", "bücher.test", "--account", "a@shop.test"]);
    std::fs::write(folder.path().join("access.log"), lines(0, 4)).unwrap();

    for name in ["Shop.Test.", "bücher.test"] {
        let import = ["analytics", "import", "--domain", name, "--format", "combined", "access.log"];
        let said = ok(folder.path(), &import);

        assert!(said.starts_with("4 visits from 4 lines;"), "{name}: {said}");
    }
}

#[test]
fn whoever_looks_on_sees_how_far_it_is() {
    let folder = shop();
    std::fs::write(folder.path().join("access.log"), lines(0, 3_000)).unwrap();
    let import = [&[env!("CARGO_BIN_EXE_glasshouse")], &IMPORT[..], &["access.log"]].concat().join(" ");
    // Runs the command with a terminal.
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &import, "/dev/null"]).current_dir(folder.path()).env("TERM", "xterm");

    let shown = String::from_utf8(terminal.stdin(Stdio::null()).output().unwrap().stdout).unwrap();

    assert!(shown.contains(" of 265.52 KiB, "), "{shown}");
    assert!(shown.trim_end().lines().last().unwrap().contains("3000 visits from 3000 lines;"), "{shown}");
}

#[test]
fn a_log_comes_from_standard_input() {
    let folder = shop();
    let mut command = glasshouse(folder.path(), &[&IMPORT[..], &["-"]].concat(), &[]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines(0, 7).as_bytes()).unwrap();

    let output = child.wait_with_output().unwrap();

    assert!(String::from_utf8_lossy(&output.stdout).starts_with("7 visits from 7 lines;"), "{output:?}");
}

/// Appends to the log of a folder.
fn append(folder: &Path, text: &str) {
    let log = folder.join("access.log");
    OpenOptions::new().append(true).create(true).open(log).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Follows the log of a folder while `rotate` writes to it. `rotate` gets a function that waits for a text in the output. Ten
/// visits must have been counted when the command is interrupted.
fn follow(folder: &Path, rotate: impl FnOnce(&mut dyn FnMut(&str))) {
    let mut command = glasshouse(folder, &[&IMPORT[..], &["access.log", "--follow"]].concat(), &[]);
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);

    rotate(&mut |start| assert!(told.any(|line| line.starts_with(start)), "never {start}"));

    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).starts_with("10 visits"),
        "{output:?}"
    );
}

#[test]
fn a_followed_log_is_read_through_its_rotation() {
    let folder = shop();
    let folder = folder.path();
    append(folder, &lines(0, 3));

    follow(folder, |wait_for| {
        wait_for("3 visits");
        append(folder, &lines(3, 5));
        wait_for("5 visits");
        append(folder, &lines(5, 6));
        std::fs::rename(folder.join("access.log"), folder.join("access.log.1")).unwrap();
        append(folder, &lines(6, 10));
        wait_for("10 visits");
    });

    assert!(import(folder, "access.log.1").starts_with("0 visits from 6 lines; 6 lines"));
}

#[test]
fn what_a_server_writes_to_a_renamed_log_is_read() {
    let folder = shop();
    let folder = folder.path();
    append(folder, &lines(0, 3));

    follow(folder, |wait_for| {
        wait_for("3 visits");
        let mut old = OpenOptions::new().append(true).open(folder.join("access.log")).unwrap();
        std::fs::rename(folder.join("access.log"), folder.join("access.log.1")).unwrap();
        append(folder, &lines(3, 5));
        wait_for("5 visits");
        old.write_all(lines(5, 8).as_bytes()).unwrap();
        wait_for("8 visits");
        append(folder, &lines(8, 10));
        wait_for("10 visits");
    });

    assert!(import(folder, "access.log.1").starts_with("0 visits from 6 lines; 6 lines"));
    assert!(import(folder, "access.log").starts_with("0 visits from 4 lines; 4 lines"));
}

#[test]
fn following_a_long_log_ends_between_two_parts() {
    let folder = shop();
    let folder = folder.path();
    append(folder, &lines(0, 100_000));
    let mut command = glasshouse(folder, &[&IMPORT[..], &["access.log", "--follow"]].concat(), &[]);
    let mut child = command.spawn().unwrap();

    let told = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok).next().unwrap();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let rest = import(folder, "access.log");

    let visits = |text: &str| text.split(' ').next().unwrap().parse::<u64>().unwrap();
    let before = visits(&String::from_utf8_lossy(&output.stdout));
    assert!(
        output.status.success() && before < 100_000 && told.starts_with("20000 visits"),
        "{told} {output:?}"
    );
    assert_eq!(visits(&rest), 100_000 - before);
}

#[test]
fn a_log_can_be_read_once_more_after_the_wrong_format() {
    let folder = shop();
    std::fs::write(folder.path().join("access.log"), lines(0, 4)).unwrap();
    let wrong = ["analytics", "import", "--domain", "shop.test", "--format", "caddy", "access.log"];

    let refused = fails(&mut glasshouse(folder.path(), &wrong, &[]), 1);

    assert!(refused.contains("no line of access.log is in this format; choose another"), "{refused}");
    assert!(import(folder.path(), "access.log").starts_with("4 visits from 4 lines; 0 lines"));
}

#[test]
fn a_followed_log_that_is_copied_and_emptied_is_read_from_its_start() {
    let folder = shop();
    let folder = folder.path();
    append(folder, &lines(0, 7));

    follow(folder, |wait_for| {
        wait_for("7 visits");
        std::fs::copy(folder.join("access.log"), folder.join("access.log.1")).unwrap();
        OpenOptions::new().write(true).open(folder.join("access.log")).unwrap().set_len(0).unwrap();
        append(folder, &lines(7, 9));
        wait_for("9 visits");
        append(folder, &lines(9, 10));
        wait_for("10 visits");
    });

    assert!(import(folder, "access.log.1").starts_with("0 visits from 7 lines; 7 lines"));
}

#[test]
fn a_compressed_log_that_breaks_off_counts_each_line_once_when_it_is_whole() {
    let folder = shop();
    let whole = gzip(&lines(0, 40));
    std::fs::write(folder.path().join("part.gz"), &whole[..whole.len() - 20]).unwrap();
    std::fs::write(folder.path().join("whole.gz"), &whole).unwrap();

    let broken = fails(&mut glasshouse(folder.path(), &[&IMPORT[..], &["part.gz"]].concat(), &[]), 1);

    assert!(broken.contains("cannot read the log"), "{broken}");
    assert!(import(folder.path(), "whole.gz").starts_with("40 visits from 40 lines;"));
}

#[test]
fn what_cannot_be_imported_is_said_in_one_line() {
    let folder = shop();
    std::fs::write(folder.path().join("other.log"), "hello\nworld\n").unwrap();
    std::fs::write(folder.path().join("access.log.gz"), gzip(&lines(0, 4))).unwrap();
    let fails = |arguments: &[&str], code| fails(&mut glasshouse(folder.path(), arguments, &[]), code);

    let vhost: String = lines(0, 200).lines().map(|line| format!("other.test:443 {line}\n")).collect();
    std::fs::write(folder.path().join("vhost.log"), vhost).unwrap();

    let missing = fails(&[&IMPORT[..], &["none.log"]].concat(), 1);
    let with_hosts = fails(&[&IMPORT[..], &["vhost.log"]].concat(), 1);
    let other = fails(&[&IMPORT[..], &["other.log"]].concat(), 1);
    let domain = fails(&["analytics", "import", "--domain", "x.test", "--format", "caddy", "other.log"], 1);
    let endless = fails(&[&IMPORT[..], &["-", "--follow"]].concat(), 2);
    let compressed = fails(&[&IMPORT[..], &["access.log.gz", "--follow"]].concat(), 2);

    assert!(missing.contains("cannot open none.log"), "{missing}");
    assert!(other.contains("no line of other.log is in this format"), "{other}");
    assert!(with_hosts.contains("they look like `vhost-combined`"), "{with_hosts}");
    assert_eq!(with_hosts.trim().lines().count(), 1, "{with_hosts}");
    assert!(domain.contains("there is no domain x.test"), "{domain}");
    assert!(endless.contains("--follow needs a file"), "{endless}");
    assert!(compressed.contains("access.log.gz is compressed"), "{compressed}");
}
