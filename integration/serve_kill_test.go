package integration_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
)

// servingEnv is the store, in a process that serves until it is killed: the path of
// a SQLite database or the address of a PostgreSQL one.
const servingEnv = "QED_TEST_SERVING"

// streamedWords is how many words the answer of a serving process has.
const streamedWords = 60

func streamedText() string {
	var b strings.Builder
	for i := range streamedWords {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

// serveUntilKilled serves an agent that writes a word every few milliseconds, and
// prints the server's address.
func serveUntilKilled(address string) int {
	st, err := servingStore(context.Background(), address)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (a qed.Answer, err error) {
		for i := range streamedWords {
			word, err := qed.Step(ctx, "word", i, func(context.Context) (string, error) {
				time.Sleep(10 * time.Millisecond) // a model writes as slowly
				return fmt.Sprintf("word%d ", i), nil
			})
			if err != nil {
				return a, err
			}
			a.Text += word
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
		}
		return a, nil
	}), st, &qed.DurableOptions{Lease: 2 * time.Second})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	h := serve.New(agent, &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf, Logger: slog.New(slog.DiscardHandler)})
	fmt.Printf("http://%s\n", listener.Addr())
	fmt.Println("error", http.Serve(listener, h))
	return 1
}

func servingStore(ctx context.Context, address string) (store.Store, error) {
	if !strings.HasPrefix(address, "postgres:") {
		return sqlitestore.Open(address, nil)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	return sqlstore.New(ctx, db, sqlstore.PostgreSQL, nil)
}

// serving starts a process that serves, and returns its address and what kills it.
func serving(t *testing.T, address string) (url string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), servingEnv+"="+address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	url = strings.TrimSpace(line)
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatal(line, err)
	}
	return url, kill
}

// A stream that begins in one process is continued by others while each is killed:
// no frame is missing and none comes twice.
func TestServersAreKilled(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		testServersAreKilled(t, filepath.Join(t.TempDir(), "conversations.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		config := integration.PostgreSQL(t)
		name := fmt.Sprintf("serve_%d", rand.Uint32())
		admin := openPGX(t, config)
		mustExec(t, admin, "CREATE DATABASE "+name)
		t.Cleanup(func() { admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
		testServersAreKilled(t, fmt.Sprintf("postgres://%s@%s:%d/%s", config.User, config.Host, config.Port, name))
	})
}

func testServersAreKilled(t *testing.T, address string) {
	if testing.Short() {
		t.Skip("it waits for the leases of processes that are killed")
	}
	const conversations = 5
	url, kill := serving(t, address)
	readers := make([]*streamReader, conversations)
	for i := range readers {
		readers[i] = &streamReader{conversation: fmt.Sprintf("conversation %d", i)}
	}
	for round := 0; ; round++ {
		ended := make(chan error, conversations)
		for _, r := range readers {
			go func() { ended <- r.read(t.Context(), url) }()
		}
		if round < 3 {
			time.Sleep(100*time.Millisecond + rand.N(200*time.Millisecond)) // the moment of the kill is random
			if round > 0 {
				time.Sleep(2500 * time.Millisecond) // the runs of the process before have to be taken over
			}
			kill()
		}
		for range readers {
			if err := <-ended; err != nil && round == 3 {
				t.Fatal(err)
			}
		}
		if round == 3 {
			break
		}
		url, kill = serving(t, address)
	}
	for _, r := range readers {
		if got := r.text.String(); got != streamedText() || !r.complete {
			t.Errorf("%s: complete is %v, and the text is %q", r.conversation, r.complete, got)
		}
		t.Logf("%s: %d frames", r.conversation, r.frames)
	}
}

// A streamReader reads the stream of a conversation, and continues after what it has
// read.
type streamReader struct {
	conversation, last string
	text               strings.Builder
	frames             int
	complete           bool
	rejoins            bool // another reader has begun the turn
}

// read begins the turn, or reads it again.
func (r *streamReader) read(ctx context.Context, url string) error {
	if r.complete {
		return nil
	}
	body := fmt.Sprintf(`{"input":{"message":"write"},"conversation":{"id":%q}}`, r.conversation)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/internal/chat/stream", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.last != "" || r.rejoins {
		path := url + "/internal/chat/stream/" + strings.ReplaceAll(r.conversation, " ", "%20")
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, path, nil); err != nil {
			return err
		}
		req.Header.Set("Last-Event-ID", r.last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s after %q", r.conversation, resp.Status, r.last)
	}
	var id, data string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && data != "": // the frame is complete
			if err := r.frame(id, data); err != nil {
				return err
			}
			data = ""
		}
	}
	if !r.complete {
		return fmt.Errorf("%s: the stream ended after %q", r.conversation, r.last)
	}
	return nil
}

func (r *streamReader) frame(id, data string) error {
	_, number, _ := strings.Cut(id, ".")
	if r.frames++; number != fmt.Sprint(r.frames) {
		return fmt.Errorf("%s: frame %s after %d", r.conversation, number, r.frames-1)
	}
	r.last = id
	if _, content, ok := strings.Cut(data, `"content":"`); ok {
		r.text.WriteString(strings.TrimSuffix(content, `"}`))
	}
	if strings.Contains(data, `"event":"error"`) {
		return fmt.Errorf("%s: %s", r.conversation, data)
	}
	r.complete = r.complete || strings.Contains(data, `"event":"complete"`)
	return nil
}
