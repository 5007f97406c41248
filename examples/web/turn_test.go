package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// host serves an agent of a test with the page, and opens it.
func host(tb testing.TB, agent qed.AgentFunc) *browser {
	tb.Helper()
	return hostAgent(tb, agent)
}

func hostAgent(tb testing.TB, agent qed.Agent) *browser {
	tb.Helper()
	b := newBrowser(tb)
	st := &store.InMemory{}
	reader := llmtest.New(replay.Rule("read_reply", replay.Asks("<message>\n", "never mind"),
		map[string]string{"intent": "abort", "reason": "it drops the question"}))
	kept := keeper{qed.Durable(agent, st, (&qed.DurableOptions{}).WithReplyModel(reader, llm.Settings{})), st}
	handler := serve.New(kept, &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf})
	server := httptest.NewServer(newSite(kept.serve(handler, nil), nil))
	tb.Cleanup(server.Close)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = handler.Shutdown(ctx) // a test may leave a turn
	})
	b.do(chromedp.Navigate(server.URL))
	b.until(`!document.querySelector("#start").hidden`)
	return b
}

// TestStop stops a turn, and continues it.
func TestStop(t *testing.T) {
	began := make(chan bool, 1)
	stopped := false
	b := host(t, func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if stopped {
			return qed.Answer{Text: "It is 42."}, nil
		}
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "It is"})
		began <- true
		<-ctx.Done()
		return qed.Answer{}, ctx.Err()
	})
	b.say("How many?")
	<-began
	b.until(`document.querySelector(".answer").innerText.includes("It is")`)
	b.press("Stop")
	b.idle()
	b.has("Stopped.")
	stopped = true
	b.press("Continue")
	b.until(`document.querySelector(".answer").innerText.includes("It is 42.")`)
	b.idle()
	b.do(chromedp.Reload())
	b.articles(2)
	b.has("It is 42.")
	if text := value[string](b, `document.querySelector("#turns").innerText`); !strings.Contains(text, "This turn was stopped.") || strings.Contains(text, "Working") {
		t.Errorf("after a reload the page shows\n%s", text)
	}
}

// TestReload loads the page again while a turn runs: the turn continues.
func TestReload(t *testing.T) {
	release := make(chan bool)
	b := host(t, func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text != "How many?" {
			return qed.Answer{Text: "Something else."}, nil
		}
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "It is"})
		select {
		case <-release:
			return qed.Answer{Text: "It is 42."}, nil
		case <-ctx.Done():
			return qed.Answer{}, ctx.Err()
		}
	})
	b.say("How many?")
	b.until(`document.querySelector(".answer")?.innerText.includes("It is")`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector(".answer")?.innerText.includes("It is") && document.querySelector(".said")?.innerText === "How many?"`)
	close(release)
	b.until(`document.querySelector(".answer").innerText.includes("It is 42.")`)
	b.idle()

	// The conversation is in the list, and another one can be begun and left.
	b.press("New conversation")
	b.until(`document.querySelectorAll("article").length === 0`)
	b.ask("What else?")
	b.has("Something else.")
	b.until(`document.querySelectorAll("#list a").length === 2`)
	b.press("How many?")
	b.until(`document.querySelector(".answer")?.innerText.includes("It is 42.")`)
	b.do(chromedp.NavigateBack())
	b.until(`document.querySelector(".answer")?.innerText.includes("Something else.")`)
	b.show("conversations")
}

// TestTwoTabs posts to one conversation from two tabs: the second one is refused.
func TestTwoTabs(t *testing.T) {
	release := make(chan bool)
	b := host(t, func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text == "How many?" {
			select {
			case <-release:
			case <-ctx.Done():
				return qed.Answer{}, ctx.Err()
			}
		}
		return qed.Answer{Text: "The answer to: " + turn.Text}, nil
	})
	b.ask("Hello")
	other := newTab(t, b.ctx)
	other.ignore("status of 409")
	other.do(chromedp.Navigate(value[string](b, "location.href")))
	other.until(`document.querySelector(".answer")?.innerText.includes("The answer to: Hello")`)
	b.say("How many?")
	b.until(`document.querySelector("#stop").checkVisibility() && document.querySelectorAll("#list a").length === 1`)
	b.until(`fetch("conversations").then(r => r.json()).then(r => r.conversations[0].status === "running")`)
	other.ask("And how few?")
	other.has("And how few?", "This was not sent: another window is using this conversation.")
	other.show("two-tabs")
	close(release)
	b.idle()
	b.has("The answer to: How many?")
	other.press("Show the conversation as it is now")
	other.articles(2)
	other.has("The answer to: How many?")
	other.ask("And how few?")
	other.has("The answer to: And how few?")
}

// TestForeign opens the conversation of another user: nothing of it is shown, and
// what is sent begins a conversation of the user's own under that id.
func TestForeign(t *testing.T) {
	st := &store.InMemory{}
	agent := keeper{qed.Durable(qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "A secret of " + turn.User}, nil
	}), st, nil), st}
	as := func(user string) string {
		handler := serve.New(agent, &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf,
			Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
				return r.Context(), serve.Caller{User: user}, nil
			}})
		server := httptest.NewServer(newSite(agent.serve(handler, nil), nil))
		t.Cleanup(server.Close)
		return server.URL
	}
	b := newBrowser(t)
	b.ignore("status of 404", "status of 403")
	b.do(chromedp.Navigate(as("ann")))
	b.ask("What is it?")
	b.has("A secret of ann")
	id := value[string](b, "location.hash")

	b.do(chromedp.Navigate(as("bob") + "/" + id))
	b.until(`document.querySelector("#turns").innerText === "There is no such conversation."`)
	b.show("foreign")
	if n := value[int](b, `document.querySelectorAll("#list a").length`); n != 0 {
		t.Errorf("%d conversations are listed", n)
	}
	b.ask("What is it?")
	b.has("A secret of bob")
	if page := value[string](b, `document.body.innerText`); strings.Contains(page, "ann") {
		t.Errorf("the page shows %s", page)
	}
	b.press("New conversation")
	b.until(`document.querySelectorAll("article").length === 0`)
	b.ask("What is it?")
	b.has("A secret of bob")
}

type trip struct {
	City   string `json:"city"`
	Nights int    `json:"nights"`
	Window bool   `json:"window"`
}

// TestQuestions answers a question of each kind.
func TestQuestions(t *testing.T) {
	b := host(t, func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		name, err := qed.Interrupt[string](ctx, question.Question{Text: "What is the name?"})
		if err != nil {
			return qed.Answer{}, err
		}
		class, err := qed.Interrupt[string](ctx, question.Question{Text: "Which class?", Choices: []question.Choice{
			{ID: "1", Text: "first class"}, {ID: "2", Text: "second class"},
		}})
		if err != nil {
			return qed.Answer{}, err
		}
		to, err := qed.Interrupt[trip](ctx, question.Question{Text: "Where to?"})
		if err != nil {
			return qed.Answer{}, err
		}
		letter, err := qed.Approve(ctx, "Send this?", map[string]string{"text": "Dear " + name})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprintf("%s, %s, %v, %s: %s", name, class, to, letter.Decision, letter.Value["text"])}, nil
	})
	article := func(n int) {
		t.Helper()
		b.until(fmt.Sprintf(`document.querySelectorAll("article").length === %d`, n))
		b.idle()
	}
	b.ask("Book a trip")
	b.has("What is the name?")
	b.show("text")
	b.ask("Which one of the two?") // the message cannot be read: the question stays
	article(2)
	b.has("What is the name?")
	b.do(chromedp.SendKeys(".questions textarea", "Ada"))
	b.press("Reply")
	article(3)
	b.press("second class")
	article(4)
	b.show("form")
	b.do(chromedp.SendKeys(".questions input[type=text]", "Porto"), chromedp.SendKeys(".questions input[type=number]", "3"),
		chromedp.Click(".questions input[type=checkbox]"))
	b.press("Reply")
	article(5)
	b.show("approval")
	value[chromedp.Void](b, `const d = document.querySelector(".questions textarea"); d.value = d.value.replace("Dear", "Hello"); d.oninput()`)
	b.press("Approve the change")
	article(6)
	b.has("Approved with changes", "Ada, 2, {Porto 3 true}, edit: Hello Ada")

	b.ask("Book another trip")
	b.press("Never mind")
	article(8)
	if strings.Contains(b.last(), "Ada") || value[int](b, `[...document.querySelectorAll("article")].at(-1).querySelectorAll(".problem").length`) > 0 {
		t.Errorf("the question is not dropped: %s", b.last())
	}
	if n := value[int](b, `document.querySelectorAll(".questions").length`); n != 0 {
		t.Errorf("%d questions are open", n)
	}
}

// TestHostile shows data with HTML, script, images and links: all of it is text.
func TestHostile(t *testing.T) {
	asked := make(chan string, 100)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer elsewhere.Close()
	attack := fmt.Sprintf(`<script>owned=1;fetch("%[1]s/script")</script><img src="%[1]s/img" onerror="owned=1"><svg onload="owned=1">`, elsewhere.URL)
	rows := &qed.Table{Columns: []qed.Column{{Name: attack}, {Name: "n"}}}
	if err := rows.Append(attack, 1); err != nil {
		t.Fatal(err)
	}
	if err := rows.Append("=HYPERLINK(1)", int64(9007199254740993)); err != nil {
		t.Fatal(err)
	}
	b := host(t, func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.RouteDecision{Route: attack, Reason: attack})
		qed.Emit(ctx, qed.Planned{Tasks: []qed.PlanTask{{Key: attack, Description: attack}}})
		if turn.Text == "chart" {
			spec, err := chart.New(t.Context(), rows, &chart.Options{Kind: chart.Bar, X: attack, Y: "n", Title: attack})
			if err != nil {
				return qed.Answer{}, err
			}
			return qed.Answer{Text: "A chart", Artifacts: []qed.Artifact{spec.Artifact()}}, nil
		}
		if turn.Text == "question" {
			_, err := qed.Interrupt[string](ctx, question.Question{Text: attack, Choices: []question.Choice{{ID: "1", Text: attack}}})
			return qed.Answer{}, err
		}
		return qed.Answer{
			Text: strings.Join([]string{attack, "# " + attack, "- " + attack, "|a|\n|-|\n|" + attack + "|", "> " + attack, "```\n" + attack + "\n```",
				"[a site](" + elsewhere.URL + "/link)", "[code](javascript:owned=1)", "[data](data:text/html,x)",
				"![a picture](" + elsewhere.URL + "/picture)", "**" + attack + "**", "[1]"}, "\n\n"),
			Table: rows, Unproved: []string{attack}, Partial: true, PartialReason: attack,
			Queries:   []qed.Query{{Language: attack, Written: attack, Executed: attack, JoinPath: []qed.Join{{Left: qed.JoinSide{Table: attack, Columns: []string{attack}}, Right: qed.JoinSide{Alias: attack, Columns: []string{attack}}, Kind: attack, Role: attack}}, Views: []string{attack}}},
			Citations: []qed.Citation{{Title: attack, Location: attack, Excerpt: attack}},
			Documents: []qed.Document{{Index: attack, ID: attack, Source: []byte(`{"a":"<b>"}`)}},
			Plan:      []qed.PlanTask{{Key: attack, Description: attack}},
		}, nil
	})
	b.ask(attack)
	b.has("onerror", "9007199254740993", "a site ("+strings.TrimPrefix(elsewhere.URL, "http://")+")", "a picture", "code")
	value[chromedp.Void](b, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
	b.show("hostile")
	b.ask("chart")
	b.until(`document.querySelector(".chart svg") !== null`)
	b.ask("question")
	if got := value[string](b, `typeof owned + document.querySelectorAll("#turns script:not([type='application/json']), #turns img, #turns iframe, #turns image").length`); got != "undefined0" {
		t.Errorf("a text ran: %s", got)
	}
	if links := value[[]string](b, `[...document.querySelectorAll("#turns a")].map(a => a.href)`); !slices.Equal(links, []string{elsewhere.URL + "/link"}) {
		t.Errorf("the links are %q", links)
	}
	csv := value[string](b, `import("/assets/table.js").then(m => m.csv({columns: [{name: "a"}], rows: [["=1+1"], [-1], ['x"y']]}))`)
	if want := "a\r\n'=1+1\r\n-1\r\n\"x\"\"y\"\r\n"; csv != want {
		t.Errorf("the CSV is %q, want %q", csv, want)
	}
	select {
	case path := <-asked:
		t.Errorf("the page has loaded %s", path)
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := hostOf(b.requests[0])
	for _, address := range b.requests {
		if host := hostOf(address); host != own && host != "" {
			t.Errorf("the page has loaded %s", address)
		}
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// TestMain runs the program itself in a process that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv("QED_TEST_WEB") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// launch starts the program in a process of its own, and waits for its page. The model
// pauses before each reply.
func launch(t *testing.T, folder, address, pause string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-address", address, "-store", "conversations.db", "-pause", pause)
	cmd.Dir = folder
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); !slices.Contains(providers, name) {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "QED_TEST_WEB=1")
	cmd.Stderr = t.Output()
	out := &output{found: make(chan string, 1)}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // both fail if it has ended
	select {
	case <-out.found:
	case <-time.After(time.Minute):
		t.Fatal("the program does not serve")
	}
	return cmd
}

// mortal opens the page of a process that can be killed and started again.
func mortal(t *testing.T, pause string) (b *browser, kill, restart func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, folder := l.Addr().String(), t.TempDir()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b = newBrowser(t)
	b.ignore("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET")
	first := launch(t, folder, address, pause)
	b.do(chromedp.Navigate("http://" + address))
	kill = func() {
		t.Helper()
		if err := first.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = first.Wait() // it was killed
		b.until(`[...document.querySelectorAll(".now")].at(-1)?.textContent.startsWith("The connection is lost")`)
	}
	return b, kill, func() { launch(t, folder, address, pause) }
}

// TestKilled kills the program in the middle of an answer, and starts it again: the page
// continues by itself.
func TestKilled(t *testing.T) {
	b, kill, restart := mortal(t, "1500ms")
	b.press("Which customers have three or more overdue")
	b.until(`![undefined, "Working"].includes(document.querySelector(".now")?.textContent)`)
	kill()
	b.show("lost")
	restart()
	b.until(`document.querySelector(".answer")?.innerText.includes("Query 1 (sql")`)
	b.idle()
	b.has("Malmö Harbour Logistics")
	if n := value[int](b, `document.querySelectorAll("article").length`); n != 1 {
		t.Errorf("there are %d turns", n)
	}
}

// TestSize limits what the page loads before a chart is shown.
func TestSize(t *testing.T) {
	var size int64
	err := fs.WalkDir(assets, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if size > 150<<10 {
		t.Errorf("the page has %d bytes", size)
	}
	t.Logf("the page has %d bytes", size)
}

// TestHeaders checks the policy of the page and of the agent's answers.
func TestHeaders(t *testing.T) {
	agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, nil })
	server := httptest.NewServer(newSite(serve.New(agent, nil), [][]string{{"a"}}))
	defer server.Close()
	for path, want := range map[string]string{
		"/": "text/html; charset=utf-8", "/assets/app.js": "text/javascript; charset=utf-8", "/charts.js": "text/javascript; charset=utf-8",
		"/questions": "application/json", "/v1/models": "application/json",
	} {
		resp, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v", path, resp.Status, err)
		}
		if got := resp.Header.Get("Content-Type"); got != want {
			t.Errorf("%s is %s", path, got)
		}
		if resp.Header.Get("Content-Security-Policy") != policy || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has no policy", path)
		}
		if path == "/charts.js" && !strings.Contains(string(body[:2000]), "University of Washington Interactive Data Lab") {
			t.Error("the charts have no license")
		}
	}
}

// BenchmarkFirstPaint reports when the page shows something, in milliseconds.
func BenchmarkFirstPaint(b *testing.B) {
	page := newBrowser(b)
	p := start(b, filepath.Join(b.TempDir(), "conversations.db"))
	var times []float64
	for b.Loop() {
		page.do(chromedp.Navigate(p.address))
		page.until(`performance.getEntriesByName("first-contentful-paint").length > 0`)
		times = append(times, value[float64](page, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms/paint")
	b.ReportMetric(0, "ns/op")
}
