package modelcall_test

import (
	"errors"
	"strings"
	"testing"
	"text/template"

	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// rows is a prompt's data whose lines can be left out.
type rows struct{ Lines string }

func (r *rows) Shrink() bool { return modelcall.HalveLines(&r.Lines, 1) }

// What does not fit into the context is left out: first what the prompt can miss, and of
// the conversation what is oldest.
func TestRequestFits(t *testing.T) {
	prompt := template.Must(template.New("p").Parse("{{.Lines}}"))
	line := strings.Repeat("word ", 10) + "\n"
	history := func(n int) (all []llm.Message) {
		for range n {
			all = append(all, llm.Message{Role: llm.RoleUser, Content: line})
		}
		return all
	}
	for name, test := range map[string]struct {
		context, reply int
		lines, said    int
		least, most    int // lines of the prompt
		kept           int // messages of the conversation, at least
		err            bool
	}{
		"all of it":         {context: 4096, lines: 20, said: 3, least: 20, most: 20, kept: 3},
		"fewer rows":        {context: 4096, lines: 2000, said: 0, least: 60, most: 300},
		"room for words":    {context: 4096, lines: 2000, said: 100, least: 60, most: 300, kept: 20},
		"all of a default":  {context: 0, lines: 2000, said: 100, least: 2000, most: 2000, kept: 100},
		"the least":         {context: 256, reply: 100, lines: 2000, least: 1, most: 12},
		"nothing fits":      {context: 256, reply: 250, lines: 2000, err: true},
		"a long reply":      {context: 4096, reply: 3000, lines: 2000, least: 15, most: 100},
		"as long as it can": {context: 8192, reply: 192, lines: 2000, least: 250, most: 700},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := modelcall.New("test", llmtest.New(), llm.Settings{ContextTokens: test.context, MaxOutputTokens: test.reply},
				func(m llm.Model) llm.Model { return m })
			if err != nil {
				t.Fatal(err)
			}
			m.MaxHistoryMessages = 1000
			req, err := m.Request("name", prompt, &rows{strings.Repeat(line, test.lines)}, history(test.said))
			if test.err {
				if !errors.Is(err, llm.ErrContextLength) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(req.Messages[len(req.Messages)-1].Content, "\n"); n < test.least || n > test.most {
				t.Errorf("%d lines, want %d to %d", n, test.least, test.most)
			}
			if n := len(req.Messages) - 1; n < test.kept || n > test.said {
				t.Errorf("%d messages before, want %d to %d", n, test.kept, test.said)
			}
			if sent := llm.EstimateTokens(req) + req.MaxOutputTokens; test.context > 0 && sent > test.context*5/4 {
				t.Errorf("%d tokens for a context of %d", sent, test.context)
			}
		})
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for name, s := range map[string]llm.Settings{
		"a negative context":    {ContextTokens: -1},
		"a context too small":   {ContextTokens: 100},
		"a reply that is all":   {ContextTokens: 1000, MaxOutputTokens: 1000},
		"more than can be":      {ContextTokens: 1 << 30},
		"a negative reply":      {MaxOutputTokens: -1},
		"a negative time limit": {ModelTimeout: -1},
	} {
		if _, err := modelcall.New("test", llmtest.New(), s, func(m llm.Model) llm.Model { return m }); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
