package integration

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/chromaindex"
	"github.com/qedkit/qed/rag/esindex"
	"github.com/qedkit/qed/rag/pgindex"
	"github.com/qedkit/qed/rag/ragtest"
)

// TestRAGPostgreSQL needs a server with pgvector.
func TestRAGPostgreSQL(t *testing.T) {
	config, err := pgxpool.ParseConfig("host=127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig = PostgreSQL(t)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var has bool
	if err := pool.QueryRow(t.Context(), "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'vector'").Scan(&has); err != nil {
		t.Fatal(err)
	}
	if !has {
		absent(t, "pgvector", errors.New("the PostgreSQL server does not have this extension"), "QED_POSTGRES_BIN=$(.ci/engines)")
	}
	ragtest.Run(t, func(t *testing.T) rag.Backend {
		table := `public.Chunks "` + rand.Text()
		if _, err := pgindex.Open(t.Context(), pool, table); err != nil {
			t.Fatal(err)
		}
		b, err := pgindex.Open(t.Context(), pool, table) // it exists
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func TestRAGElasticsearch(t *testing.T) {
	server, err := url.Parse(Elasticsearch(t))
	if err != nil {
		t.Fatal(err)
	}
	transport, err := elastictransport.NewClient(elastictransport.WithURLs(server))
	if err != nil {
		t.Fatal(err)
	}
	ragtest.Run(t, func(t *testing.T) rag.Backend {
		index := "chunks-" + strings.ToLower(rand.Text())
		if _, err := esindex.Open(t.Context(), transport, index); err != nil {
			t.Fatal(err)
		}
		b, err := esindex.Open(t.Context(), transport, index) // it exists
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	var refused *esindex.Error
	if _, err := esindex.Open(t.Context(), transport, "Not A Name"); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("a wrong name: %v", err)
	}
}

func TestRAGChroma(t *testing.T) {
	server := Chroma(t)
	ragtest.Run(t, func(t *testing.T) rag.Backend {
		opt := &chromaindex.Options{URL: server, Collection: "chunks-" + rand.Text()}
		if _, err := chromaindex.Open(t.Context(), opt); err != nil {
			t.Fatal(err)
		}
		b, err := chromaindex.Open(t.Context(), opt) // it exists
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	var refused *chromaindex.Error
	if _, err := chromaindex.Open(t.Context(), &chromaindex.Options{URL: server, Collection: "?"}); !errors.As(err, &refused) {
		t.Errorf("a wrong name: %v", err)
	}
}

var chroma struct {
	once sync.Once
	url  string
	err  error
}

// Chroma starts a Chroma server, unless it runs already, and returns its URL. Each test
// creates its own collections. The server is a program of the npm package chromadb, in
// the folder of QED_CHROMA_HOME or else in the cache.
func Chroma(tb testing.TB) string {
	tb.Helper()
	home := os.Getenv("QED_CHROMA_HOME")
	if home == "" {
		home = cached("chroma-3.0.15")
	}
	program := filepath.Join(home, "node_modules", "chromadb", "dist", "cli.mjs")
	_, err := os.Stat(program)
	node, lookErr := exec.LookPath("node")
	if err = errors.Join(err, lookErr); err != nil {
		missing(tb, "chroma", err, ".ci/engines")
	}
	chroma.once.Do(func() { chroma.url, chroma.err = startChroma(node, program) })
	if chroma.err != nil {
		tb.Fatalf("chroma: %v", chroma.err)
	}
	return chroma.url
}

func startChroma(node, program string) (string, error) {
	dir, err := os.MkdirTemp("", "qed-chroma-")
	if err != nil {
		return "", err
	}
	running.add(func() { os.RemoveAll(dir) })
	port, err := freePort()
	if err != nil {
		return "", err
	}
	p, err := start(filepath.Join(dir, "log"), node, program, "run", "--path", dir, "--host", "127.0.0.1", "--port", strconv.Itoa(port))
	if err != nil {
		return "", err
	}
	running.add(p.stop)
	server := "http://127.0.0.1:" + strconv.Itoa(port)
	return server, p.wait(func() error {
		resp, err := http.Get(server + "/api/v2/heartbeat")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}
