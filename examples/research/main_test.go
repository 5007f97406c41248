package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/research/references"
)

// The recorded researches follow the references of the documents, and their reports
// have links to the documents that they cite.
func TestTranscript(t *testing.T) {
	withoutModel(t)
	folder := t.TempDir()
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-out", folder}, strings.NewReader(""), &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"read      liegeplatz-4.md:7-9, for task_1: 4 documents and 4 findings so far, by 2 references",
		"Dürfen sie ausgeführt werden?\n            (genehmigen",
		"§ 2 der Gebührenordnung in liegeplatz-1.md: liegeplatz-2.md (exact)",
		"§ 9 der Hafenabgabenverordnung in liegeplatz-2.md: not followed: nicht nötig",
		"§ 2 der Liegeplatzordnung in liegeplatz-4.md: not followed: depth",
		"search    hose tested months replaced",
		"How often hoses are tested (after task_1), complete",
		"§ 2 der Schleppgebürenordnung in schlepper-1.md: schlepper-2.md (fuzzy)",
		"„Winterdiensttabelle“ verweist auf winterdienst-4.md, in dem keine Stelle gefunden wurde",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	for name, want := range map[string]string{
		"report-1.md":               "120 Euro Liegegeld [\\[1\\]](documents/liegeplatz-2.md)",
		"report-1.html":             `<a href="documents/liegeplatz-4.md">[4]</a>`,
		"report-2.html":             `<a href="documents/bunkering-4.md">`,
		"report-3.md":               "## Was fehlt",
		"documents/liegeplatz-4.md": "mindestens 400 Volt",
	} {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%q is not in %s: %v\n%s", want, name, err, text)
		}
	}
	var one bytes.Buffer
	if err := run(context.Background(), []string{"-out", folder, port.Recorded()[1]}, strings.NewReader(""), &one); err != nil ||
		!strings.Contains(one.String(), "every 12 months") || strings.Contains(one.String(), "Liegegeld") {
		t.Errorf("one of the recorded questions: %v\n%s", err, one.String())
	}
	err := run(context.Background(), []string{"-out", folder, "What", "else?"}, strings.NewReader(""), &out)
	if err == nil || !strings.Contains(err.Error(), port.Recorded()[0]) {
		t.Errorf("a question that is not recorded: %v", err)
	}
}

func withoutModel(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
}

// A stopper is a writer that stops the program when it writes a text.
type stopper struct {
	bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), s.at) {
		s.stop()
	}
	return n, err
}

// A research that was stopped is resumed, and its report is the same.
func TestResume(t *testing.T) {
	withoutModel(t)
	folder := t.TempDir()
	whole, resumed := filepath.Join(folder, "whole"), filepath.Join(folder, "resumed")
	if err := run(t.Context(), []string{"-out", whole}, strings.NewReader(""), new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	args := []string{"-out", resumed, "-db", filepath.Join(folder, "research.db")}
	ctx, stop := context.WithCancel(t.Context())
	out := &stopper{at: "by 1 reference", stop: stop}
	// Without a wait the research ends before its events are printed.
	if err := run(ctx, append(args, "-think", "50ms"), strings.NewReader(""), out); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var rest bytes.Buffer
	if err := run(t.Context(), append(args, "-resume"), strings.NewReader(""), &rest); err != nil {
		t.Fatalf("%v\n%s", err, rest.String())
	}
	for _, name := range []string{"report-1.md", "report-1.html"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(resumed, name))
		if err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// The documents refer to each other over three steps, and some references are wrong.
func TestDocuments(t *testing.T) {
	docs, err := port.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	leads := map[string][]string{}
	tiers := map[references.Tier]int{}
	wrong := 0
	err = fs.WalkDir(port.Files, "documents", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			exists[d.Name()] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range exists {
		raw, err := port.Files.ReadFile("documents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range references.Find(string(raw)) {
			m, ok := docs.Registry.Resolve(r.Target)
			switch {
			case r.Target == "" || m.Document.ID == name:
			case !ok || !exists[m.Document.ID]:
				wrong++
			default:
				tiers[m.Tier]++
				leads[name] = append(leads[name], m.Document.ID)
			}
		}
	}
	chains := 0
	for name := range exists {
		reached := []string{name}
		for range 3 {
			var next []string
			for _, n := range reached {
				next = append(next, leads[n]...)
			}
			reached = next
		}
		if len(reached) > 0 {
			chains++
		}
	}
	if len(exists) < 60 || chains < 16 || wrong < 3 || tiers[references.Fuzzy] == 0 || tiers[references.Exact] < 45 {
		t.Errorf("%d documents, %d chains of three references, %d wrong ones, %v", len(exists), chains, wrong, tiers)
	}
}

// Text of a model runs nothing in a page and links to nothing but the sources.
func TestPage(t *testing.T) {
	answer := qed.Answer{
		Text:      "See [1], [2], [x](https://evil.example), <https://evil.example>, ![i](https://evil.example/i.png) <script>alert(1)</script> [y](javascript:alert(1))",
		Citations: []qed.Citation{{Title: "<b>[a](https://evil.example)</b>", Location: "kran-1.md:1"}},
	}
	links := map[string]bool{}
	page, err := toHTML("<title>", linked(answer, links), links)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	hrefs := strings.Count(text, "href=")
	if hrefs != 2 || strings.Count(text, `href="documents/kran-1.md"`) != hrefs {
		t.Errorf("%d links in %s", hrefs, text)
	}
	if slices.ContainsFunc([]string{"<script", "<img", "src=", "<b>", "<title><title>"}, func(s string) bool { return strings.Contains(text, s) }) {
		t.Errorf("%s", text)
	}
}

// The command "draft" shows the tasks that wait for an approval, which a reply can change.
func TestDraft(t *testing.T) {
	var out bytes.Buffer
	c := &conversation{show: chat.NewPrinter(&out), draft: json.RawMessage(`{"tasks":{}}`)}
	if err := c.line(t.Context(), "draft"); err != nil || !strings.Contains(out.String(), `{"tasks":{}}`) {
		t.Errorf("%v: %s", err, out.String())
	}
}
