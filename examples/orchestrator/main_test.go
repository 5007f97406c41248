package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/transcript"
	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// orchestrate runs the program.
func orchestrate(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, strings.NewReader(in), &out)
	return out.String(), err
}

// messages returns the stored messages of a conversation, one per line.
func messages(t *testing.T, file, thread string) []string {
	t.Helper()
	st, err := sqlitestore.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	said, err := qed.Messages(t.Context(), st, thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range said {
		lines = append(lines, string(m.Role)+": "+m.Content)
	}
	return lines
}

// steps returns the labels that were printed for each line of the transcript.
func steps(out string) map[string]string {
	shown := map[string]string{}
	line := ""
	for text := range strings.Lines(out) {
		text = strings.TrimRight(text, "\n")
		switch {
		case strings.HasPrefix(text, "? "):
			line = text[2:]
		case text == "":
			line = ""
		case line != "" && len(text) > 12 && strings.HasPrefix(text, "  ") && text[2] != ' ':
			shown[line] = strings.TrimSpace(shown[line] + " " + strings.Fields(text)[0])
		}
	}
	return shown
}

func TestTranscript(t *testing.T) {
	chattest.Isolate(t, nil)
	out, err := orchestrate(t, "")
	if err != nil {
		t.Fatal(err)
	}
	const query = "model secured valid ran"
	want := map[string]string{
		"Which customers have three or more overdue work orders on 31 March 2026?":    "route tables path " + query + " answer meaning checked rows",
		"Which work orders are overdue for Malmo Harbour Logistics on 31 March 2026?": "route tables path " + query + " empty correct " + query + " answer meaning rows",
		"When does a work order count as overdue, and who hears of it?":               "route search found answer sources",
		"And what does it take to move that date?":                                    "route search found answer sources",
		"How many invoices were issued for each region in March 2026?":                "route tables question",
		"2": "route path " + query + " answer meaning checked rows",
		"Who had the most work orders in March 2026?":                                                    "route tables question",
		"Leave that. Which purchase orders have not arrived yet, from whom, and when are they expected?": "closed route tables path " + query + " answer meaning rows",
		"Who had the most work orders in 2025?":                                                          "route tables question",
		"Never mind.":                                                                                    "answer",
		"What is the difference between a chiller and a heat pump?":                                      "route answer",
	}
	if diff := cmp.Diff(want, steps(out)); diff != "" {
		t.Errorf("what was shown of each line (-want +got):\n%s\n%s", diff, out)
	}
	for _, true := range []string{
		"North          5", "Malmö Harbour Logistics        3", "WO-10272", // rows that the recorded answers contain
		"Overdue work orders (work-orders.md:", // the passage of the answer
	} {
		if !strings.Contains(out, true) {
			t.Errorf("the output lacks %q", true)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("the output has colours without a terminal")
	}
	if n := len(messages(t, "data/conversations.db", "chat-1")); n != 2*len(transcript.Lines()) {
		t.Errorf("%d messages are stored for %d lines", n, len(transcript.Lines()))
	}
	again, err := orchestrate(t, "")
	if err != nil || !strings.Contains(again, "chat-1 continues") || strings.Contains(again, "Which customers") {
		t.Errorf("the conversation is over, and is not continued: %v\n%s", err, again)
	}
}

// TestTranscriptIsTrue compares each answer of the transcript with the rows or the
// passage that it is about.
func TestTranscriptIsTrue(t *testing.T) {
	chattest.Isolate(t, nil)
	if _, err := orchestrate(t, ""); err != nil {
		t.Fatal(err)
	}
	st, err := sqlitestore.Open("data/conversations.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	entries, err := qed.History(t.Context(), st, "chat-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	rows, passages := 0, 0
	for _, e := range entries {
		if e.Answer == nil {
			t.Errorf("%s has no answer", e.Turn.Text)
			continue
		}
		if table := e.Answer.Table; table != nil {
			for _, row := range table.Rows {
				rows++
				for _, cell := range row {
					if text := fmt.Sprint(cell); !chattest.Says(e.Answer.Text, text) {
						t.Errorf("%s: the answer does not say %q: %s", e.Turn.Text, text, e.Answer.Text)
					}
				}
			}
		}
		for _, c := range e.Answer.Citations {
			passages++
			for _, word := range strings.Fields(e.Answer.Text) {
				word = strings.Trim(word, ".,:;[]0123456789")
				if len(word) > 5 && !strings.Contains(strings.ToLower(c.Excerpt), strings.ToLower(word[:5])) {
					t.Errorf("%s: the passage does not say %q: %s", e.Turn.Text, word, c.Excerpt)
				}
			}
		}
		if len(e.Answer.Unproved) > 0 {
			t.Errorf("%s: numbers that are not proved: %v", e.Turn.Text, e.Answer.Unproved)
		}
	}
	if rows < 10 || passages < 2 {
		t.Errorf("%d rows and %d passages were compared", rows, passages)
	}
}

// TestTranscriptWithSummaries uses summaries of the older messages.
func TestTranscriptWithSummaries(t *testing.T) {
	chattest.Isolate(t, map[string]string{"CONVERSATION_MEMORY_STRATEGY": "tiered", "MAX_CONVERSATION_MESSAGES": "4"})
	if _, err := orchestrate(t, ""); err != nil {
		t.Fatal(err)
	}
	st, err := sqlitestore.Open("data/conversations.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	summaries := 0
	for _, err := range st.Records(t.Context(), "chat-1", store.Range{Kinds: []store.Kind{store.Summary}}) {
		if err != nil {
			t.Fatal(err)
		}
		summaries++
	}
	if summaries == 0 {
		t.Error("nothing was summarised")
	}
}

// TestCommands types commands after the recorded conversation.
func TestCommands(t *testing.T) {
	chattest.Isolate(t, nil)
	if _, err := orchestrate(t, ""); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, typed string
		want, not   []string
	}{
		{"history", "/history", []string{"? 1. Which customers", "? 6. 2", "? 11. What is the difference", "said      All right."}, nil},
		{"help", "/help", []string{"/fork N NAME"}, nil},
		{"a fork, with another reply", "/fork 5 again\n1", []string{"again continues", "1. by the billing location", "path      invoice.billingLocationId"}, nil},
		{"a fork is a copy", "/history", []string{"? 11. "}, []string{"? 12. "}},
		{"nothing to resume", "\n", []string{"nothing to resume"}, nil},
		{"quitting", "/quit\n/help", nil, []string{"/fork N"}},
		{"no command", "/nope\n/fork\n/fork 0 x\n/fork 99 x\n/fork 1\n/quit 3", []string{"no command /nope", "/fork N", `"0" is not one`, `"99" is not one`, "invalid", "usage: /quit"}, nil},
		{"forgetting", "/forget\n/history", []string{"is deleted", "chat-1 begins", "No question"}, nil},
		{"no words", "What is love?", []string{"OPENAI_API_KEY", "An empty line tries again"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := orchestrate(t, tt.typed+"\n", "-thread", "chat-1")
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(out, not) {
					t.Errorf("the output has %q:\n%s", not, out)
				}
			}
		})
	}
}

func TestWrongTurns(t *testing.T) {
	folder := chattest.Isolate(t, nil)
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte("hello, this is not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"not a database", []string{"-all-tables", "-dsn", text}, "not a database"},
		{"documents without a model", []string{"-docs", folder}, "OPENAI_API_KEY"},
		{"a policy for the example company", []string{"-policy", text}, "-dsn"},
		{"an unknown flag", []string{"-nope"}, "-nope"},
		{"a question", []string{"Who?"}, "no flag"},
		{"a negative record", []string{"-crash-at", "-1"}, "-crash-at"},
		{"an invalid name", []string{"-thread", "a\nb"}, "printed"},
		{"a store that is a folder", []string{"-store", folder}, "stored"},
		{"a store below a file", []string{"-store", filepath.Join(text, "x.db")}, "stored"},
		{"a store that is not a database", []string{"-store", text}, "text"},
		{"a MySQL server that is down", []string{"-store", "mysql://root:hunter2@127.0.0.1:1/app"}, "127.0.0.1:1"},
		{"a PostgreSQL server that is down", []string{"-store", "postgres://me:hunter2@127.0.0.1:1/app"}, "127.0.0.1:1"},
		{"another server", []string{"-store", "oracle://me:hunter2@localhost/app"}, "oracle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := orchestrate(t, "", tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that contains %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestWrongSettings(t *testing.T) {
	for name, value := range map[string]string{
		"CONVERSATION_MAX_AGE_HOURS":   "a day",
		"CONVERSATION_MEMORY_STRATEGY": "long",
		"MAX_CONVERSATION_MESSAGES":    "0",
	} {
		t.Run(name, func(t *testing.T) {
			folder := chattest.Isolate(t, map[string]string{name: value})
			if _, err := orchestrate(t, ""); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error = %v, want one that contains %s", err, name)
			}
			if _, err := os.Stat(filepath.Join(folder, "data")); err == nil {
				t.Error("a store was made all the same")
			}
		})
	}
}

// passageKey matches the key of a passage with its brackets.
var passageKey = regexp.MustCompile(`\[c[0-9][a-z2-7]{4}\]`)

// answering is a model that knows one table and one document. It records its requests.
type answering struct{ routed, seen []string }

func (a *answering) say(sent string) string {
	a.seen = append(a.seen, sent)
	switch {
	case strings.Contains(sent, "You decide who answers") && strings.Contains(sent, "painted?"):
		a.routed = append(a.routed, "rag")
		return `{"route":"rag"}`
	case strings.Contains(sent, "You decide who answers"):
		a.routed = append(a.routed, "sql")
		return `{"route":"sql"}`
	case strings.Contains(sent, "You choose the tables"):
		return `{"tables":["boat"]}`
	case strings.Contains(sent, "You write one"):
		return `{"sql":"SELECT name FROM boat"}`
	case strings.Contains(sent, "You prepare the last question"):
		return `{"question":"How is a boat painted?"}`
	case strings.Contains(sent, "You answer a question from passages"):
		return "With a brush " + passageKey.FindString(sent) + "."
	}
	return "There is one boat: Ann."
}

// TestOwnDatabase asks about a database and documents of the user's, in two
// processes' time, with a provider.
func TestOwnDatabase(t *testing.T) {
	model := &answering{}
	folder := chattest.Isolate(t, map[string]string{
		"OPENAI_BASE_URL": chattest.Provider(t, model.say), "OPENAI_MODEL": "test", "EMBEDDING_MODEL": "e",
		"CONVERSATION_DB_PATH": "kept/here.db",
	})
	boats := filepath.Join(folder, "boats.db")
	makeDatabase(t, boats, "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boat VALUES (1, 'Ann');")
	if err := os.WriteFile(filepath.Join(folder, "paint.md"), []byte("# Paint\n\nBoats are painted with a brush.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-all-tables", "-dsn", boats, "-docs", folder}
	out, err := orchestrate(t, "Which boats are there?\n", args...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "There is one boat: Ann.") || !strings.Contains(out, "> Which boats are there?\n") {
		t.Errorf("the output is\n%s", out)
	}
	out, err = orchestrate(t, "And how are they painted?\n", args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"chat-1 continues", "? Which boats are there?\n  said      There is one boat: Ann.\n", "With a brush [1].", "[1] paint.md"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if diff := cmp.Diff([]string{"sql", "rag"}, model.routed); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if last := model.seen[len(model.seen)-2]; !strings.Contains(last, "There is one boat: Ann.") {
		t.Errorf("the model does not get the messages before the restart: %s", last)
	}
	if n := len(messages(t, "kept/here.db", "chat-1")); n != 4 {
		t.Errorf("%d messages are stored", n)
	}
}

// TestNoProviderForOwnDatabase has nothing to replay.
func TestNoProviderForOwnDatabase(t *testing.T) {
	folder := chattest.Isolate(t, nil)
	path := filepath.Join(folder, "own.db")
	makeDatabase(t, path, "CREATE TABLE t (id)")
	if _, err := orchestrate(t, "", "-all-tables", "-dsn", path); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("error = %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	chattest.Isolate(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, nil, strings.NewReader(""), &strings.Builder{}); err == nil {
		t.Error("a cancelled run succeeded")
	}
}
