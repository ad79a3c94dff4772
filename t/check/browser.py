"""A Chromium without a window that shows the pages of a folder, driven by chromedriver. Both must be installed."""
import functools, http.server, json, subprocess, threading, urllib.error, urllib.request

SECONDS = 300


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the folder, and START_PAGE, if there is one, as its first page."""
    start_page = None

    def do_GET(self):
        if self.path != '/' or not self.start_page:
            return super().do_GET()
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        self.wfile.write(self.start_page.encode())

    def log_message(self, *args):
        pass


class Browser:
    def __init__(self, folder, start_page=None, port=0):
        """PORT 0: any."""
        handler = type('FolderHandler', (Handler,), {'start_page': start_page})
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', port), functools.partial(handler, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page = 'http://127.0.0.1:%d/' % self.server.server_address[1]
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if 'started successfully on port' in line:
                self.port = int(line.rstrip().rstrip('.').rpartition(' ')[2])
                break
        threading.Thread(target=self.driver.stdout.read, daemon=True).start()
        options = {'args': ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']}
        wanted = {'goog:chromeOptions': options, 'timeouts': {'script': SECONDS * 1000}}
        self.session = '/session/' + self.call('/session', {'capabilities': {'alwaysMatch': wanted}})['sessionId']

    def call(self, path, body, method='POST'):
        request = urllib.request.Request('http://127.0.0.1:%d%s' % (self.port, path), json.dumps(body).encode(),
                                         {'Content-Type': 'application/json'}, method=method)
        try:
            return json.load(urllib.request.urlopen(request, timeout=SECONDS))['value']
        except urllib.error.HTTPError as e:
            return {'error': e.read().decode(errors='replace')[:500]}

    def ask(self, script, *args, at=''):
        """Opens the page AT and returns what SCRIPT gives to its last argument, or {'error': TEXT}."""
        self.call(self.session + '/url', {'url': 'about:blank'})
        self.call(self.session + '/url', {'url': self.page + at})
        return self.call(self.session + '/execute/async', {'script': script, 'args': list(args)})

    def close(self):
        self.call(self.session, {}, 'DELETE')
        self.driver.terminate()
        self.driver.wait()
        self.server.shutdown()
