package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// absent skips a test that needs a program that .ci/engines installs, or fails it if the
// programs are required.
func absent(tb testing.TB, name string, reason error) {
	tb.Helper()
	line := fmt.Sprintf("QED-SKIP %s: %v; install with: .ci/engines", name, reason)
	if os.Getenv("QED_REQUIRE_ENGINES") == "1" {
		tb.Fatal(line)
	}
	report(tb, line)
	tb.Skip(line)
}

// report appends a line to the file that QED_SKIPPED names, which make test shows at its
// end.
func report(tb testing.TB, line string) {
	tb.Helper()
	path := os.Getenv("QED_SKIPPED")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = f.WriteString(line + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		tb.Fatal(err)
	}
}

// A browser is a tab of Chromium. What it writes to the console and the requests that it
// makes are kept.
type browser struct {
	tb  testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string // errors and warnings of the console, exceptions, and refused loads
	requests []string // addresses
	ignored  []string // parts of problems that are expected
}

// newBrowser starts Chromium.
func newBrowser(tb testing.TB) *browser {
	tb.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		absent(tb, "Chromium", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(tb.Context(), options...)
	tb.Cleanup(cancel)
	return newTab(tb, ctx)
}

// newTab opens a tab in the browser of a context.
func newTab(tb testing.TB, ctx context.Context) *browser {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(ctx)
	tb.Cleanup(cancel)
	b := &browser{tb: tb, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		tb.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	tb.Cleanup(b.check)
	return b
}

// call runs a command of the DevTools protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.tb.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.tb.Fatal(err)
	}
	return result
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			var texts []string
			for _, a := range e.Args {
				texts = append(texts, string(a.Value)+a.Description)
			}
			b.problems = append(b.problems, strings.Join(texts, " "))
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, exception(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.problems = append(b.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// check reports problems that are not expected.
func (b *browser) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.problems {
		expected := false
		for _, part := range b.ignored {
			expected = expected || strings.Contains(text, part)
		}
		if !expected {
			b.tb.Errorf("the console says: %s", text)
		}
	}
}

// ignore names problems that a test causes itself.
func (b *browser) ignore(parts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ignored = append(b.ignored, parts...)
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.tb.Fatal(err)
	}
}

// value returns the value of an expression, as JSON decodes it.
func value[T any](b *browser, expression string) T {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.tb.Fatalf("%.300s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(40*time.Second)))
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tb.Fatalf("%s: %v\nthe last requests: %q", expression, err, b.requests[max(0, len(b.requests)-10):])
	}
}

// press clicks the last button with a text.
func (b *browser) press(text string) {
	b.tb.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("button, summary, #list a")].filter(e => e.textContent.startsWith(%s) && e.checkVisibility()).at(-1)`, quoted(text))
	b.until(find + " !== undefined")
	value[chromedp.Void](b, find+".click()")
}

// say types a message and sends it with the enter key.
func (b *browser) say(text string) {
	b.tb.Helper()
	b.do(chromedp.SendKeys("#text", text))
	// A key that the page handles itself makes no character.
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
		})
	}
}

// done is true when no turn runs.
const done = `document.querySelector("#turns").ariaBusy === "false"`

// ask sends a message and waits for the end of the turn.
func (b *browser) ask(text string) {
	b.tb.Helper()
	n := value[int](b, `document.querySelectorAll("article").length`)
	b.say(text)
	b.until(fmt.Sprintf(`document.querySelectorAll("article").length > %d`, n))
	b.idle()
}

func (b *browser) idle() {
	b.tb.Helper()
	b.until(done)
}

// reload loads the page again, and checks that it shows the same. Rows are in the order
// of the answer again, and times may differ by how long events took to the page.
func (b *browser) reload() {
	b.tb.Helper()
	shown := func() []string {
		return value[[]string](b, `[document.querySelector("#used").textContent, ...[...document.querySelectorAll("article")].map(a => {
			const copy = a.cloneNode(true);
			for (const body of copy.querySelectorAll(".rows tbody")) body.replaceChildren(...[...body.children].sort((a, b) => a.textContent < b.textContent ? -1 : 1));
			for (const e of copy.querySelectorAll(".time, .chart, script")) e.remove();
			return copy.textContent;
		})]`)
	}
	before := shown()
	b.do(chromedp.Reload())
	b.until(fmt.Sprintf(`document.querySelectorAll("article").length === %d`, len(before)-1))
	b.idle()
	if diff := cmp.Diff(before, shown()); diff != "" {
		b.tb.Errorf("the page shows something else after a reload (-before +after):\n%s", diff)
	}
}

// last returns the text of the last turn.
func (b *browser) last() string {
	b.tb.Helper()
	return value[string](b, `[...document.querySelectorAll("article")].at(-1).innerText`)
}

// has checks that the last turn has texts.
func (b *browser) has(texts ...string) {
	b.tb.Helper()
	last := b.last()
	for _, text := range texts {
		if !strings.Contains(last, text) {
			b.tb.Errorf("the last turn has no %q:\n%s", text, last)
		}
	}
}

// show writes pictures of the page, and checks its accessibility in each state.
func (b *browser) show(name string) {
	b.tb.Helper()
	for _, dark := range []string{"light", "dark"} {
		for screen, width := range map[string]int64{"desktop": 1280, "phone": 390} {
			call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: dark}, {Name: "prefers-reduced-motion", Value: "reduce"},
			}})
			b.do(chromedp.EmulateViewport(width, 900))
			value[bool](b, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				b.tb.Fatal(err)
			}
			file := filepath.Join(b.tb.ArtifactDir(), fmt.Sprintf("%s-%s-%s.png", name, screen, dark))
			if err := os.WriteFile(file, picture, 0o644); err != nil {
				b.tb.Fatal(err)
			}
			if wide := value[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
				b.tb.Errorf("%s is wider than the %s", name, screen)
			}
			b.accessible(name + ", " + screen + ", " + dark)
		}
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// accessible checks the page with axe-core, if it is installed.
func (b *browser) accessible(state string) {
	b.tb.Helper()
	script, err := axe()
	if err != nil {
		if os.Getenv("QED_REQUIRE_ENGINES") == "1" {
			b.tb.Fatal(err)
		}
		b.tb.Logf("QED-SKIP axe-core: %v; install with: .ci/engines", err)
		return
	}
	value[int](b, script+";0")
	var found []struct{ ID, Help, HTML string }
	raw := value[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(
		r.violations.flatMap(v => v.nodes.map(n => ({ID: v.id, Help: v.help, HTML: n.html + " " + n.failureSummary})))))`)
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		b.tb.Fatal(err)
	}
	for _, f := range found {
		b.tb.Errorf("axe-core, %s: %s: %s: %s", state, f.ID, f.Help, f.HTML)
	}
}

var axe = sync.OnceValues(func() (string, error) {
	cache := "/var/cache"
	if os.Geteuid() != 0 {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(filepath.Join(cache, "qed/axe-core-4.14.1/node_modules/axe-core/axe.min.js"))
	return string(text), err
})

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // not reached: a text has a JSON form
	}
	return string(raw)
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return d.Text
	}
	return d.Text + " " + d.Exception.Description
}
