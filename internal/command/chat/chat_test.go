package chat_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/sqldb"
)

// TestNothingSteersTheTerminal prints control characters in every text of every
// event and answer.
func TestNothingSteersTheTerminal(t *testing.T) {
	const attack = "\x1b[31m\u009b2J\u202egnirts\u2066\u2028\a\r"
	var out strings.Builder
	show := chat.NewPrinter(&out)
	show.Source(attack, []string{attack}, []sqldb.Finding{{Message: attack, Fix: attack}})
	show.Question(attack)
	show.Note("%s", attack)
	for _, d := range []qed.EventData{
		qed.RouteDecision{Route: attack, Reason: attack},
		qed.QueryRefused{Message: attack, Candidates: []string{attack}},
		qed.QuestionClosed{Reason: attack},
		qed.Warning{Code: attack, Message: attack},
		qed.Retrieved{Query: attack, Citations: []qed.Citation{{Location: attack}}},
		qed.IntentClassified{Intent: attack, Tasks: []string{attack}, Reason: attack},
		qed.QuestionRewritten{Question: attack},
		qed.Planned{Reason: attack, Tasks: []qed.PlanTask{{Key: attack, Description: attack, After: []string{attack}, Tool: attack}}},
		qed.TaskStarted{Key: attack, Description: attack},
		qed.TaskFinished{Key: attack}, qed.TaskFinished{Key: attack, Cached: true},
		qed.TaskFinished{Key: attack, Interrupted: true}, qed.TaskFinished{Key: attack, Error: attack},
		qed.Token{Channel: qed.ChannelFinal, Content: attack},
	} {
		show.Event(qed.Event{Data: d})
	}
	show.Answer(qed.Answer{
		Partial: true, PartialReason: attack,
		Table:     &qed.Table{Columns: []qed.Column{{Name: attack}}, Rows: [][]any{{attack}}},
		Citations: []qed.Citation{{Title: attack, Location: attack}},
		Artifacts: []qed.Artifact{{Name: attack, MediaType: attack}},
		Questions: []question.Question{{Text: attack, Problem: attack, Choices: []question.Choice{{Text: attack}}}},
	})
	show.Hint(attack)
	show.Memory(attack)
	if got := out.String(); strings.ContainsAny(got, attack[:1]+"\u009b\u202e\u2066\u2028\a\r") {
		t.Errorf("the output steers the terminal: %q", got)
	}
}

// TestAnswerIsShownOnce prints an answer that is streamed, and one that is not.
func TestAnswerIsShownOnce(t *testing.T) {
	for name, tokens := range map[string]bool{"streamed": true, "at the end": false} {
		t.Run(name, func(t *testing.T) {
			agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if tokens {
					qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "I look."})
					qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Discard: true})
					qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "Seven."})
					qed.Emit(ctx, qed.Warning{Code: "not_saved", Message: "late"})
				}
				return qed.Answer{Text: "Seven."}, nil
			})
			var out strings.Builder
			show := chat.NewPrinter(&out)
			for n := 1; n <= 2; n++ {
				if _, err := chat.Ask(t.Context(), agent, show, qed.Turn{Text: "How many?"}); err != nil {
					t.Fatal(err)
				}
				if got := strings.Count(out.String(), "answer"); got != n && !tokens || got != 2*n && tokens {
					t.Errorf("after %d turns there are %d texts:\n%s", n, got, out.String())
				}
				if got := strings.Count(out.String(), "Seven."); got != n {
					t.Errorf("after %d turns there are %d answers:\n%s", n, got, out.String())
				}
			}
		})
	}
}

// TestRowsAreShownOnce prints the first rows of a table and their number. The
// same table is not printed twice on a thread.
func TestRowsAreShownOnce(t *testing.T) {
	table := func(first int64, more bool) *qed.Table {
		t := qed.Table{Columns: []qed.Column{{Name: "number"}}, Truncated: more}
		for n := range int64(12) {
			t.Rows = append(t.Rows, []any{first + n})
		}
		return &t
	}
	var out strings.Builder
	show := chat.NewPrinter(&out)
	for _, turn := range []struct {
		thread string
		table  *qed.Table
		want   []string
		lacks  string
	}{
		{"a", table(100, false), []string{"100", "109", "10 of 12 rows"}, "110"},
		{"a", nil, nil, "rows"},
		{"a", table(100, false), []string{"same 12 rows"}, "100"},
		{"a", table(200, true), []string{"200", "10 of more than 12 rows"}, "same"},
		{"b", table(200, true), []string{"200"}, "same"},
		{"", table(200, true), []string{"200"}, "same"},
		{"", table(200, true), []string{"200"}, "same"},
	} {
		out.Reset()
		agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{Table: turn.table}, nil })
		if _, err := chat.Ask(t.Context(), agent, show, qed.Turn{Thread: turn.thread, Text: "Which?"}); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		for _, want := range turn.want {
			if !strings.Contains(got, want) {
				t.Errorf("thread %q: the output lacks %q:\n%s", turn.thread, want, got)
			}
		}
		if strings.Contains(got, turn.lacks) {
			t.Errorf("thread %q: the output has %q:\n%s", turn.thread, turn.lacks, got)
		}
	}
}

func TestIsTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, stream := range []any{null, &strings.Builder{}, nil} {
		if chat.IsTerminal(stream) {
			t.Errorf("%T is a terminal", stream)
		}
	}
}

func TestLines(t *testing.T) {
	var out strings.Builder
	next := chat.Lines(t.Context(), strings.NewReader(" one \n\n\x1btwo"), chat.NewPrinter(&out))
	for _, want := range []string{"one", "", "\x1btwo"} {
		if got, err := next(); got != want || err != nil {
			t.Errorf("a line is %q, %v, want %q", got, err, want)
		}
	}
	for range 2 {
		if got, err := next(); got != "" || err != io.EOF {
			t.Errorf("the end is %q, %v", got, err)
		}
	}
	if got := out.String(); !strings.Contains(got, "> one\n") || strings.Contains(got, "\x1b") {
		t.Errorf("the lines of a pipe are not printed, or not safely: %q", got)
	}
}

func TestLinesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typed := io.Pipe()
	defer typed.Close()
	next := chat.Lines(ctx, in, chat.NewPrinter(io.Discard))
	cancel()
	if got, err := next(); got != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("a line is %q, %v", got, err)
	}
}

// TestInterruptedWhileWaiting cancels a conversation that waits for a line.
func TestInterruptedWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typed := io.Pipe()
	defer typed.Close()
	time.AfterFunc(10*time.Millisecond, cancel)
	ended := make(chan error, 1)
	go func() { ended <- chat.Converse(ctx, in, chat.NewPrinter(io.Discard), "", nil) }()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want %v", err, context.Canceled)
		}
	case <-time.After(5 * time.Second):
		t.Error("the conversation still waits for a line")
	}
}

// TestAnswerThatBreaksOff checks that an error is printed on a line below an
// incomplete answer.
func TestAnswerThatBreaksOff(t *testing.T) {
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "half of " + turn.Text})
		return qed.Answer{}, errors.New("cut")
	})
	var out strings.Builder
	show := chat.NewPrinter(&out)
	ask := func(text string) (bool, error) {
		_, err := chat.Ask(t.Context(), agent, show, qed.Turn{Text: text})
		return false, err
	}
	if err := chat.Converse(t.Context(), strings.NewReader("one\ntwo\n"), show, "", ask); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"answer    half of one\ncut\n", "answer    half of two\ncut\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}
