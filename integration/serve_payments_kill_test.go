package integration_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
)

// payingEnv is the SQLite database with the payments, in a process that serves the
// agent that pays. manyPaymentsEnv is how many payments are made; a few if it is unset.
const (
	payingEnv       = "QED_TEST_PAYING"
	manyPaymentsEnv = "QED_TEST_PAYMENTS"
)

// newPayer returns an agent that pays once it was approved, and counts each payment in
// a database.
func newPayer(path string) (qed.Agent, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	pause := func() { time.Sleep(rand.N(30 * time.Millisecond)) } // a kill may come before, in and after the call
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		pause()
		said, err := qed.Approve(ctx, "Pay?", turn.Text)
		if err != nil || said.Decision != question.Approve {
			return qed.Answer{Text: "not paid"}, err
		}
		pause()
		_, err = qed.StepOnce(ctx, "pay", turn.Text, func(ctx context.Context) (bool, error) {
			_, err := db.ExecContext(ctx, "INSERT INTO payments (name) VALUES (?)", turn.Text)
			return err == nil, err
		})
		pause()
		return qed.Answer{Text: "paid"}, err
	}), nil
}

// payUntilKilled serves the agent that pays, and prints the server's address.
func payUntilKilled(address, payments string) int {
	st, err := servingStore(context.Background(), address)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	payer, err := newPayer(payments)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	h := serve.New(qed.Durable(payer, st, &qed.DurableOptions{Lease: time.Second}), &serve.Options{
		Store: st, Rejoin: rand.N(2) == 0, Turns: rate.Inf, Logger: slog.New(slog.DiscardHandler),
	})
	fmt.Printf("http://%s\n", listener.Addr())
	fmt.Println("error", http.Serve(listener, h))
	return 1
}

// Clients send their messages and approvals with the same ids until they have an
// answer, while servers are killed at random moments. Nothing is paid twice.
func TestPaymentsWhileServersAreKilled(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		testPayments(t, filepath.Join(t.TempDir(), "conversations.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		config := integration.PostgreSQL(t)
		name := fmt.Sprintf("pay_%d", rand.Uint32())
		admin := openPGX(t, config)
		mustExec(t, admin, "CREATE DATABASE "+name)
		t.Cleanup(func() { admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
		testPayments(t, fmt.Sprintf("postgres://%s@%s:%d/%s", config.User, config.Host, config.Port, name))
	})
}

func testPayments(t *testing.T, address string) {
	if testing.Short() {
		t.Skip("it waits for the leases of processes that are killed")
	}
	many := 12
	if n, err := strconv.Atoi(os.Getenv(manyPaymentsEnv)); err == nil {
		many = n
	}
	path := filepath.Join(t.TempDir(), "payments.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, "CREATE TABLE payments (name TEXT NOT NULL)")
	t.Setenv(payingEnv, path)

	var url atomic.Value
	first, kill := serving(t, address)
	url.Store(first)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(300*time.Millisecond + rand.N(2*time.Second)):
			}
			kill()
			var next string
			next, kill = serving(t, address)
			url.Store(next)
		}
	}()
	names := make(chan string)
	var paid, unknown, sent atomic.Int64
	var clients sync.WaitGroup
	for range 6 {
		clients.Go(func() {
			for name := range names {
				c := payingClient{url: &url, name: name, sent: &sent}
				switch outcome := c.pay(t); outcome {
				case "paid":
					paid.Add(1)
				case "unresolved":
					unknown.Add(1)
				default:
					t.Errorf("%s: %s", name, outcome)
				}
			}
		})
	}
	for i := range many {
		names <- fmt.Sprint("payment ", i)
	}
	close(names)
	clients.Wait()
	close(stop)
	<-stopped

	var rows, different int64
	if err := db.QueryRow("SELECT COUNT(*), COUNT(DISTINCT name) FROM payments").Scan(&rows, &different); err != nil {
		t.Fatal(err)
	}
	if rows != different || different < paid.Load() || different > paid.Load()+unknown.Load() {
		t.Errorf("%d payments of %d messages: %d were answered, and of %d it is not known", rows, different, paid.Load(), unknown.Load())
	}
	t.Logf("%d payments with %d requests, %d of unknown outcome", rows, sent.Load(), unknown.Load())
}

// A payingClient makes one payment.
type payingClient struct {
	url  *atomic.Value
	name string
	sent *atomic.Int64
}

// pay sends a message and then the approval, each until it has an answer.
func (c *payingClient) pay(t *testing.T) string {
	outcome, asked := c.until(t, map[string]any{"id": "message of " + c.name, "message": c.name})
	if len(asked) != 1 {
		return outcome + ", and no question"
	}
	outcome, _ = c.until(t, map[string]any{"replies": []any{map[string]any{"question": asked[0].ID, "value": "approve"}}})
	return outcome
}

func (c *payingClient) until(t *testing.T, input map[string]any) (outcome string, asked []question.Question) {
	body, err := json.Marshal(map[string]any{"input": input, "conversation": map[string]any{"id": c.name}})
	if err != nil {
		return err.Error(), nil
	}
	for range 1000 {
		outcome, asked, final := c.post(t.Context(), string(body))
		if final {
			return outcome, asked
		}
		time.Sleep(20*time.Millisecond + rand.N(100*time.Millisecond))
	}
	return "there is no answer", nil
}

// post sends a request. final reports whether it need not be sent again.
func (c *payingClient) post(ctx context.Context, body string) (outcome string, asked []question.Question, final bool) {
	if rand.N(4) == 0 { // the client loses its connection, at any moment
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, rand.N(60*time.Millisecond))
		defer cancel()
	}
	c.sent.Add(1)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.Load().(string)+"/internal/chat/stream", strings.NewReader(body))
	if err != nil {
		return err.Error(), nil, true
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", nil, false
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusConflict, http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return resp.Status, nil, resp.Header.Get("Retry-After") == "" // without it, waiting does not help
	default:
		return resp.Status, nil, true
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var frame struct {
			Event, Code string
			Text        string `json:"final_answer"`
			Questions   []question.Question
		}
		if !ok || json.Unmarshal([]byte(data), &frame) != nil {
			continue
		}
		switch frame.Event {
		case "complete":
			return frame.Text, frame.Questions, true
		case "error":
			return frame.Code, nil, frame.Code == "unresolved"
		}
	}
	return "", nil, false
}
