package integration

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Elasticsearch starts an Elasticsearch server, or finds the one that runs, and
// returns its URL. Each test creates its own indices. The server has no scripts and
// needs no password.
func Elasticsearch(tb testing.TB) string {
	tb.Helper()
	return elasticsearch.shared(tb)
}

// OpenSearch is like [Elasticsearch], for OpenSearch.
func OpenSearch(tb testing.TB) string {
	tb.Helper()
	return openSearch.shared(tb)
}

// ElasticsearchOwn starts an Elasticsearch server for one test, which may kill it and
// start it again. The settings are lines of its elasticsearch.yml.
func ElasticsearchOwn(tb testing.TB, settings ...string) *ElasticServer {
	tb.Helper()
	return elasticsearch.own(tb, settings)
}

// OpenSearchOwn is like [ElasticsearchOwn], for OpenSearch.
func OpenSearchOwn(tb testing.TB, settings ...string) *ElasticServer {
	tb.Helper()
	return openSearch.own(tb, settings)
}

var (
	elasticsearch = &elasticEngine{name: "elasticsearch", version: "8.19.7", prefix: "ES",
		settings: []string{
			"xpack.security.enabled: false",
			"indices.merge.disk.check_interval: 0s", // else merges wait while the disk is nearly full
		}}
	openSearch = &elasticEngine{name: "opensearch", version: "2.19.4", prefix: "OPENSEARCH"}
)

// elasticEngine describes Elasticsearch or OpenSearch.
type elasticEngine struct {
	name, version string
	prefix        string   // of its environment variables
	settings      []string // in addition to those of all engines

	once   sync.Once
	server *ElasticServer
	err    error
}

func (e *elasticEngine) shared(tb testing.TB) string {
	tb.Helper()
	home, java := e.installed(tb)
	e.once.Do(func() {
		if e.server, e.err = e.start(home, java, "", nil); e.err == nil {
			running.add(e.server.remove)
		}
	})
	if e.err != nil {
		tb.Fatalf("%s: %v", e.name, e.err)
	}
	return e.server.URL()
}

func (e *elasticEngine) own(tb testing.TB, settings []string) *ElasticServer {
	tb.Helper()
	home, java := e.installed(tb)
	// Without this, half the time of a start is spent on compiling rarely used code.
	s, err := e.start(home, java, " -XX:TieredStopAtLevel=1", settings)
	if err != nil {
		tb.Fatalf("%s: %v", e.name, err)
	}
	tb.Cleanup(s.remove)
	return s
}

// installed finds the unpacked server, in the folder of QED_ELASTICSEARCH_HOME or
// QED_OPENSEARCH_HOME or else in the cache, and its Java.
func (e *elasticEngine) installed(tb testing.TB) (home, java string) {
	tb.Helper()
	home = os.Getenv("QED_" + strings.ToUpper(e.name) + "_HOME")
	if home == "" {
		home = cached(e.name + "-" + e.version)
	}
	_, err := os.Stat(filepath.Join(home, "bin", e.name))
	if err == nil {
		java, err = program("java")
	}
	if err == nil {
		java, err = filepath.EvalSymlinks(java)
	}
	if err != nil {
		missing(tb, e.name, err, ".ci/engines")
	}
	return home, filepath.Dir(filepath.Dir(java))
}

func (e *elasticEngine) start(home, java, javaOptions string, settings []string) (s *ElasticServer, err error) {
	dir, err := os.MkdirTemp("", "qed-"+e.name+"-")
	if err != nil {
		return nil, err
	}
	s = &ElasticServer{dir: dir}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	for _, port := range []*int{&s.port, &s.transport} {
		if *port, err = freePort(); err != nil {
			return nil, err
		}
	}
	if err := s.configure(home, e, settings); err != nil {
		return nil, err
	}
	if s.command, err = s.launch(home, java, javaOptions, e); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// ElasticServer is a server with its own port and folder.
type ElasticServer struct {
	dir             string
	port, transport int
	command         []string
	process         *process
}

// URL returns the URL of the server.
func (s *ElasticServer) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", s.port) }

// Kill ends the server at once.
func (s *ElasticServer) Kill() {
	// Another program starts Elasticsearch, and ends when the server has ended.
	text, err := os.ReadFile(s.pidFile())
	if err == nil {
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			syscall.Kill(pid, syscall.SIGKILL)
			<-s.process.done
		}
	}
	s.process.stop() // the server has not started yet
	os.Remove(s.pidFile())
}

// Start starts the server again, on the same port and with the same data.
func (s *ElasticServer) Start() error {
	p, err := start(filepath.Join(s.dir, "log"), s.command[0], s.command[1:]...)
	if err != nil {
		return err
	}
	s.process = p
	return p.wait(func() error {
		// Only a request about the cluster shows that the server is ready.
		resp, err := http.Get(s.URL() + "/_cluster/health?wait_for_status=yellow&timeout=1s")
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusUnauthorized {
			return errors.New(resp.Status)
		}
		return nil
	})
}

func (s *ElasticServer) remove() {
	if s.process != nil {
		s.Kill()
	}
	os.RemoveAll(s.dir)
}

func (s *ElasticServer) pidFile() string { return filepath.Join(s.dir, "pid") }

// configure writes the server's own configuration, based on the one that it came with.
// Servers share the folder of their programs and write nothing there.
func (s *ElasticServer) configure(home string, e *elasticEngine, settings []string) error {
	config := filepath.Join(s.dir, "config")
	if err := os.CopyFS(config, os.DirFS(filepath.Join(home, "config"))); err != nil {
		return err
	}
	options := filepath.Join(config, "jvm.options")
	text, err := os.ReadFile(options)
	if err != nil {
		return err
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "logs/") && !strings.Contains(line, "HeapDump") { // below home
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(options, []byte(strings.Join(kept, "")), 0o600); err != nil {
		return err
	}
	lines := append([]string{
		"discovery.type: single-node",
		"network.host: 127.0.0.1",
		fmt.Sprintf("http.port: %d", s.port),
		fmt.Sprintf("transport.port: %d", s.transport),
		"path.data: " + filepath.Join(s.dir, "data"),
		"path.logs: " + filepath.Join(s.dir, "logs"),
		"cluster.routing.allocation.disk.threshold_enabled: false", // a full disk must not fail the tests
	}, e.settings...)
	for _, setting := range settings { // replaces the line of the same setting
		name, _, _ := strings.Cut(setting, ":")
		lines = append(removeSetting(lines, name), setting)
	}
	if err := os.WriteFile(filepath.Join(config, e.name+".yml"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "tmp"), 0o700); err != nil {
		return err
	}
	account, err := serverUser()
	if err != nil || account == nil {
		return err
	}
	return filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, account.uid, account.gid)
	})
}

func removeSetting(lines []string, name string) []string {
	kept := lines[:0]
	for _, line := range lines {
		if !strings.HasPrefix(line, name+":") {
			kept = append(kept, line)
		}
	}
	return kept
}

// launch returns the command that starts the server.
func (s *ElasticServer) launch(home, java, javaOptions string, e *elasticEngine) ([]string, error) {
	env, err := program("env")
	if err != nil {
		return nil, err
	}
	args := []string{
		e.prefix + "_JAVA_HOME=" + java,
		e.prefix + "_JAVA_OPTS=-Xms512m -Xmx512m" + javaOptions,
		e.prefix + "_PATH_CONF=" + filepath.Join(s.dir, "config"),
		e.prefix + "_TMPDIR=" + filepath.Join(s.dir, "tmp"),
	}
	// On QUIT, Java only prints its threads.
	return asServerUser("KILL", env, append(args, filepath.Join(home, "bin", e.name), "-p", s.pidFile())...)
}
