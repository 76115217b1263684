#!/usr/bin/env python3
"""Runtimes with threads and event loops: python, node, java.
timeout: 300
"""
import os
import re
import subprocess

from _real import calls, need, run_tests, script, transparent

PYTHON = "/usr/bin/python3"  # Debian's; another one earlier in the path may be a shell script

IMPORTS = """
import argparse, csv, ctypes, decimal, email, hashlib, http.client, json, logging, lzma, bz2, os, pathlib, pickle, random, re
import shutil, socket, sqlite3, ssl, string, struct, sys, tarfile, tempfile, threading, time, unittest, urllib, uuid, xml.dom
import zipfile, zlib
print(len(sys.modules) > 100, hashlib.sha256(b'x').hexdigest())
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'file')
    path.write_bytes(b'abc' * 10000)
    with open(path, 'r+b', buffering=0) as file:
        os.pwrite(file.fileno(), b'z', 7); print(os.pread(file.fileno(), 3, 6), os.fstat(file.fileno()).st_size)
    shutil.copyfile(path, str(path) + '2'); [os.utime(p, (10**9, 10**9)) for p in (path, str(path) + '2')]; print(sorted(os.listdir(folder)))
    shutil.make_archive('archive', 'zip', folder)
    os.unlink(path)
    try:
        open(path)
    except FileNotFoundError as error:
        print(error.errno)
base = sqlite3.connect('base'); base.execute('create table t(x)'); base.execute('insert into t values (1)'); base.commit()
print(base.execute('select count(*) from t').fetchall())
sys.stderr.write('done\\n'); sys.exit(7)
"""

THREADS = """
import concurrent.futures, os, queue, threading
def work(at):
    with open(f'file{at}', 'w') as file:
        for i in range(100):
            file.write(f'{at} {i}\\n')
            os.fsync(file.fileno()) if i == 50 else None
    return os.path.getsize(f'file{at}')
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(list(pool.map(work, range(16))))
threads = [threading.Thread(target=work, args=(at,)) for at in range(16, 40)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
print(len(os.listdir('.')))
"""

SUBPROCESS = """
import os, signal, subprocess, sys
print(subprocess.run(['cat'], input=b'through cat', stdout=subprocess.PIPE).stdout)
print(subprocess.run('echo $A; exit 3', shell=True, env={'A': 'b'}, stdout=subprocess.PIPE))
print(subprocess.run(['sleep', '10'], preexec_fn=lambda: os.kill(os.getpid(), signal.SIGKILL)).returncode)
try:
    subprocess.run(['/no/such/program'])
except FileNotFoundError as error:
    print(error)
with subprocess.Popen(['sort'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True, cwd='tmp') as sort:
    print(sort.communicate(b'b\\na\\n'))
print(os.system('exit 2') >> 8, os.popen('echo popen').read().strip())
pid = os.fork()
if not pid:
    os.execv(sys.executable, [sys.executable, '-c', 'print("again")'])
print(os.waitpid(pid, 0)[1])
print(os.waitpid(os.posix_spawn('/bin/echo', ['echo', 'spawned'], os.environ), 0)[1])
"""

MULTIPROCESSING = """
import multiprocessing, os, sys
def work(at):
    with open(f'file{at}', 'w') as file:
        file.write(str(at))
    return at * at
def child(pipe, lock, value):
    with lock:
        value.value += 1
    pipe.send(('from', 'a child')); pipe.close(); sys.exit(3)
if __name__ == '__main__':
    for method in ('fork', 'spawn'):
        here = multiprocessing.get_context(method)
        with here.Pool(2) as pool:
            print(method, pool.map(work, range(8)))
        near, far = here.Pipe()
        value, lock = here.Value('i', 0), here.Lock()
        process = here.Process(target=child, args=(far, lock, value))
        process.start(); print(near.recv()); process.join(); print(process.exitcode, value.value)
        queue = here.Queue(); queue.put('queued'); print(queue.get()); queue.close(); queue.join_thread()
"""

ASYNCIO = """
import asyncio, os
async def serve(reader, writer):
    line = await reader.readline(); writer.write(line.upper()); await writer.drain(); writer.close()
async def ask(text):
    reader, writer = await asyncio.open_unix_connection('socket')
    writer.write(text + b'\\n'); answer = await reader.read(); writer.close(); return answer
async def main():
    server = await asyncio.start_unix_server(serve, 'socket')
    async with server:
        print(await asyncio.gather(*(ask(b'line %d' % at) for at in range(10))))
    process = await asyncio.create_subprocess_exec('cat', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    print((await process.communicate(b'through cat'))[0], process.returncode)
    print(await asyncio.get_running_loop().run_in_executor(None, lambda: os.path.getsize('script.py') > 0))
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.02)
    except asyncio.TimeoutError:
        print('timeout')
asyncio.run(main())
os.unlink('socket')
"""

NODE = """
const fs = require('fs'), path = require('path'), cp = require('child_process'), net = require('net');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
  fs.writeFileSync('worker', 'from a worker'); parentPort.postMessage(fs.readFileSync('worker', 'utf8'));
} else (async () => {
  fs.mkdirSync('a/b', { recursive: true }); fs.writeFileSync('a/b/file', 'x'.repeat(100000));
  console.log(fs.statSync('a/b/file').size, fs.readdirSync('a'));
  try { fs.openSync('nothing') } catch (error) { console.log(error.code) }
  await Promise.all([...Array(20).keys()].map(at => fs.promises.writeFile('p' + at, String(at))));
  console.log((await Promise.all([...Array(20).keys()].map(at => fs.promises.readFile('p' + at, 'utf8')))).join());
  await require('stream/promises').pipeline(fs.createReadStream('a/b/file'), fs.createWriteStream('copy'));
  await fs.promises.rename('copy', 'moved'); console.log(fs.existsSync('copy'), (await fs.promises.stat('moved')).size);
  console.log(cp.execSync('echo child; exit 0').toString(), cp.spawnSync('cat', { input: 'through cat' }).stdout.toString());
  console.log(cp.spawnSync('sh', ['-c', 'exit 3']).status, cp.spawnSync('/no/such').error.code);
  console.log(await new Promise(done => new Worker(__filename).on('message', done)));
  const server = net.createServer(s => s.end('over a socket')).listen('socket');
  console.log(await new Promise(done => net.connect('socket').on('data', d => done(d.toString()))));
  server.close(); fs.rmSync('a', { recursive: true }); console.error('done'); process.exitCode = 4;
})();
"""

JAVA = """
import java.io.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.*; import java.util.concurrent.*;
public class Script {
  public static void main(String[] words) throws Exception {
    Path file = Path.of("file"); Files.writeString(file, "text ".repeat(20000));
    try (FileChannel c = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      c.write(ByteBuffer.wrap("there".getBytes()), 100); c.force(true);
      MappedByteBuffer m = c.map(FileChannel.MapMode.READ_WRITE, 0, 4096); m.put(0, (byte) 'T'); m.force();
      System.out.println(c.size() + " " + c.lock().isValid());
    }
    System.out.println(Files.readString(file).substring(0, 10));
    try (RandomAccessFile r = new RandomAccessFile("random", "rw")) { r.seek(5000); r.writeInt(7); r.setLength(6000); }
    ExecutorService pool = Executors.newFixedThreadPool(4); List<Future<Long>> sizes = new ArrayList<>();
    for (int at = 0; at < 12; at++) { int n = at; sizes.add(pool.submit(() -> {
      Path p = Path.of("t" + n); Files.write(p, new byte[n * 100]); return Files.size(p); })); }
    long sum = 0; for (Future<Long> size : sizes) sum += size.get(); pool.shutdown(); System.out.println(sum);
    Process p = new ProcessBuilder("sh", "-c", "cat; exit 3").redirectErrorStream(true).start();
    try (Writer w = p.outputWriter()) { w.write("through sh"); } System.out.println(p.inputReader().readLine() + p.waitFor());
    try { new FileInputStream("nothing"); } catch (FileNotFoundException e) { System.out.println(e.getMessage()); }
    Files.copy(file, Path.of("copy")); Files.move(Path.of("copy"), Path.of("moved")); Files.createDirectory(Path.of("d"));
    try (var s = Files.list(Path.of("."))) { System.out.println(s.map(Path::toString).sorted().toList()); }
    System.err.println("done"); System.exit(6);
  }
}
"""


def python(text, programs=(), **more):
    need(PYTHON)
    return transparent([PYTHON, "script.py"], ["python3.*", *programs], prepare=script(text, "script.py"),
                       PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", **more)


def test_python_imports():
    info, _ = python(IMPORTS, status=7)
    assert calls(info, "pwrite") > 0 and calls(info, "pread") > 0


def test_python_threads():
    info, _ = python(THREADS)
    assert calls(info, "pthread_create") >= 28 and calls(info, "fsync") == 40


def test_python_subprocess():
    python(SUBPROCESS, ["cat", "sort", "echo", "dash|sh|bash"])


def test_python_multiprocessing():
    """The helper that watches over shared memory ends when it notices that the others have ended."""
    info, _ = python(MULTIPROCESSING, outlived=True)
    assert calls(info, "fork") >= 3


def test_python_asyncio():
    python(ASYNCIO, ["cat"])


def test_node():
    need("node")
    transparent(["node", "script.js"], ["node", "cat", "dash|sh|bash"], status=4, prepare=script(NODE, "script.js"))


def test_java():
    """Compiled once, without Varve; class data sharing is off, because its file is sometimes mapped at another place."""
    need("java", "javac")
    script(JAVA, "Script.java")(".")
    subprocess.run([need("javac"), "-d", "classes", "Script.java"], check=True)
    transparent(["java", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp", os.path.abspath("classes"), "Script"],
                ["java", "dash|sh|bash|cat", "jspawnhelper|dash|sh|bash"], status=6,
                tidy=lambda text: re.sub(rb"@[0-9a-f]{4,}", b"@", text))


run_tests(globals())
