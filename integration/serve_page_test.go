package integration_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// servedPage serves an agent that numbers its answers. "ask" asks a question, "wait"
// waits after a piece of text, and "draft" writes a text that it discards.
func servedPage(t *testing.T, rejoin bool) string {
	t.Helper()
	var n atomic.Int64
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		text := turn.Text
		switch text {
		case "ask":
			crew, err := qed.Interrupt[string](ctx, question.Question{
				Text: "Which crew?", Choices: []question.Choice{{ID: "n", Text: "North"}, {ID: "s", Text: "South"}},
			})
			if err != nil {
				return qed.Answer{}, err
			}
			text = crew
		case "wait":
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
			<-ctx.Done()
			return qed.Answer{}, ctx.Err()
		case "draft":
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "Let me look."})
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Discard: true})
		}
		return qed.Answer{Text: fmt.Sprint("re: ", text, " ", n.Add(1))}, nil
	})
	st := new(store.InMemory)
	s := httptest.NewServer(serve.New(qed.Durable(agent, st, nil), &serve.Options{
		Store: st, Rejoin: rejoin, Turns: rate.Inf, Logger: slog.New(slog.DiscardHandler),
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// pageSteps are what a user does on a page, and what the page shows then. A text that
// was stopped is shown, and not stored.
var pageSteps = []struct {
	step object
	want []string
}{
	{object{"chat": "page", "text": "one"}, []string{"one", "re: one 1"}},
	{object{"text": "two"}, []string{"one", "re: one 1", "two", "re: two 2"}},
	{object{"again": 1}, []string{"one", "re: one 1", "two", "re: two 3"}},
	{object{"edit": "three", "at": 1}, []string{"one", "re: one 1", "three", "re: three 4"}},
	{object{"text": "four"}, []string{"one", "re: one 1", "three", "re: three 4", "four", "re: four 5"}},
	{object{"again": 0}, []string{"one", "re: one 6"}},
	{object{"text": "five"}, []string{"one", "re: one 6", "five", "re: five 7"}},
	{object{"reload": true, "text": "six"}, []string{"one", "re: one 6", "five", "re: five 7", "six", "re: six 8"}},
	{object{"cut": "seven", "at": 1}, []string{"one", "re: one 6", "seven", "re: seven 9"}},
	{object{"stop": "wait"}, []string{"one", "re: one 6", "seven", "re: seven 9", "wait", ""}},
	{object{"edit": "eight", "at": 2}, []string{"one", "re: one 6", "seven", "re: seven 9", "eight", "re: eight 10"}},
	{object{"reload": true, "edit": "draft", "at": 1}, []string{"one", "re: one 6", "draft", "re: draft 11"}},
	{object{"edit": "nine", "at": 0}, []string{"nine", "re: nine 12"}},
}

func stepsOfPage() (steps []object) {
	for _, s := range pageSteps {
		step := maps.Clone(s.step)
		step["stored"] = true
		steps = append(steps, step)
	}
	return steps
}

// In the real clients a conversation that is edited, answered again, stopped and
// loaded again is stored as the page shows it.
func TestAISDKPage(t *testing.T) {
	for _, major := range []int{5, 6, 7} {
		for _, rejoin := range []bool{false, true} {
			t.Run(fmt.Sprintf("major %d, rejoin %v", major, rejoin), func(t *testing.T) {
				t.Parallel()
				steps := append(stepsOfPage(), object{"chat": "asks", "text": "ask", "stored": true},
					object{"output": "s", "stored": true}, object{"again": 0, "stored": true}, object{"output": "n", "stored": true})
				var got []struct{ Shown, Stored []string }
				integration.Converse(t, "ui.mjs", []any{major, servedPage(t, rejoin), steps}, &got)
				want := [][]string{{"ask", ""}, {"ask", "re: s 13"}, {"ask", ""}, {"ask", "re: n 14"}}
				for i := range got {
					if i < len(pageSteps) {
						checkPage(t, i, got[i].Shown, got[i].Stored)
						continue
					}
					if diff := cmp.Diff(want[i-len(pageSteps)], got[i].Stored); diff != "" {
						t.Errorf("step %d: %s", i, diff)
					}
					if diff := cmp.Diff(got[i].Shown, got[i].Stored); diff != "" {
						t.Errorf("step %d: %s", i, diff)
					}
				}
			})
		}
	}
}

// checkPage checks what is shown and stored after a step.
func checkPage(t *testing.T, i int, shown, stored []string) {
	t.Helper()
	if diff := cmp.Diff(pageSteps[i].want, stored); diff != "" {
		t.Errorf("step %d, %v: %s", i, pageSteps[i].step, diff)
	}
	if pageSteps[i].step["stop"] != nil && len(shown) > 0 {
		shown[len(shown)-1] = ""
	}
	if diff := cmp.Diff(shown, stored); diff != "" {
		t.Errorf("step %d, %v, shown and stored: %s", i, pageSteps[i].step, diff)
	}
}

// TestAGUIPage is TestAISDKPage with the client of AG-UI. It shows a discarded text as a
// message of its own.
func TestAGUIPage(t *testing.T) {
	for _, rejoin := range []bool{false, true} {
		steps := stepsOfPage()
		var got []struct {
			Messages []aguiMessage
			Stored   []string
		}
		integration.Converse(t, "agui.mjs", []any{servedPage(t, rejoin), steps}, &got)
		for i := range got {
			var shown []string
			for _, m := range got[i].Messages {
				if m.Content != "Let me look." {
					shown = append(shown, m.Content)
				}
			}
			checkPage(t, i, shown, got[i].Stored)
		}
	}
}
