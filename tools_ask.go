package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// ModelToolOptions say how one of this package's tools asks its model. Nil and zero fields mean the defaults.
type ModelToolOptions struct {
	// Timeout limits one call of the model. 0 means two minutes. A call of the tool may take twice as long.
	Timeout time.Duration

	// MaxOutputTokens limits one reply of the model. 0 means 4000.
	MaxOutputTokens int

	// Temperature is how freely the model chooses its words. Nil means 0.1; a negative one the provider's default.
	Temperature *float64

	// JSONMode asks the model for JSON without a schema of the provider's, for servers that do not hold replies to one.
	JSONMode bool

	// MaxData limits the rows that stand in a prompt, and all other data in it, in bytes each. 0 means 24 KiB.
	MaxData int

	// Channel is where the text is told as [Token]s. Empty means [ChannelFinal] for [NewSummaryTool] and [NewInsightsTool], as their text is
	// an agent's answer, mostly, and [ChannelTool] for [NewLLMTool]. ChannelFinal becomes ChannelTool where the text is not the answer of the
	// agent that is listened to: in an agent that is a tool of another one, and in a plan ([NewTodoAgent]) in all tasks but the last.
	Channel Channel

	// Prompt is what the model is sent, as a template for [ModelToolData]. Nil means the package's own. Make one with [PromptFuncs]. What a user, a
	// model or a database wrote must go through the function quote.
	Prompt *template.Template
}

const (
	defaultToolData = 24 << 10 // bytes
	maxToolRequest  = 8 << 10
)

// A toolModel is the model of a tool, and how it is asked. It does not change once it is made.
type toolModel struct {
	asking
	tool     string
	timeout  time.Duration
	maxData  int
	channel  Channel
	template *template.Template
}

// newToolModel returns how the tool of a name asks. channel is where its text is told if opt says nothing.
func newToolModel(tool string, model llm.Model, opt *ModelToolOptions, channel Channel) (*toolModel, error) {
	if opt == nil {
		opt = &ModelToolOptions{}
	}
	m := &toolModel{tool: tool, timeout: opt.Timeout, maxData: opt.MaxData, channel: opt.Channel, template: ownPrompt(tool + ".tmpl")}
	switch {
	case model == nil:
		return m, fmt.Errorf("qed: tool %s needs a model", tool)
	case opt.Timeout < 0, opt.MaxOutputTokens < 0, opt.MaxData < 0:
		return m, fmt.Errorf("qed: tool %s: a limit of ModelToolOptions is negative", tool)
	}
	if m.timeout == 0 {
		m.timeout = defaultModelTimeout
	}
	if m.maxData == 0 {
		m.maxData = defaultToolData
	}
	if m.channel == "" {
		m.channel = channel
	}
	m.asking = newAsking(model, m.timeout, "ModelToolOptions.Timeout")
	if opt.MaxOutputTokens > 0 {
		m.maxTokens = opt.MaxOutputTokens
	}
	switch t := opt.Temperature; {
	case t == nil:
		m.temperature = new(0.1)
	case *t >= 0:
		m.temperature = new(*t)
	}
	if opt.JSONMode {
		m.mode = llm.JSONMode
	}
	return m, prompt.Replace("qed: tool "+tool+": ModelToolOptions", prompt.Text{Name: "Prompt", Host: opt.Prompt, Own: &m.template, Data: ModelToolData{}})
}

// made returns t as the tool that asks m. err is what is wrong with m: Add tells.
func (m *toolModel) made(t Tool, kind ToolKind, err error) Tool {
	t.Kind, t.Idempotent, t.Timeout = kind, true, 2*m.timeout
	if err != nil {
		t.err = err
	}
	return t
}

// text asks for a text and tells it as it comes. It reports whether the model was cut off.
func (m *toolModel) text(ctx context.Context, data ModelToolData) (text string, cut bool, err error) {
	req, err := m.request(m.tool, m.template, data)
	if err != nil {
		return "", false, err
	}
	resp, err := m.model.Generate(ctx, req, func(d llm.Delta) { m.tell(ctx, d.Text) })
	if err != nil {
		failed, ok := errors.AsType[*llm.Error](err)
		if !ok || failed.Partial == nil || !errors.Is(err, llm.ErrTruncated) {
			return "", false, err
		}
		resp, cut = failed.Partial, true
	}
	text = strings.TrimSpace(strings.ToValidUTF8(resp.Message.Content, "\uFFFD"))
	if text == "" {
		return "", false, errors.New("the model's text is empty")
	}
	return text, cut, nil
}

// tell tells a piece of the tool's text.
func (m *toolModel) tell(ctx context.Context, text string) {
	if text != "" {
		Emit(ctx, Token{Channel: m.channel, Content: text})
	}
}

// jsonText returns JSON as it stands in a prompt, where no tag can end in it. What has more than most bytes is cut, and is then a JSON string.
func jsonText(raw json.RawMessage, most int) (text string, cut bool) {
	if len(raw) == 0 {
		return "", false
	}
	text = string(escapedJSON(raw))
	if len(text) <= most {
		return text, false
	}
	for n := most; ; n = n * 3 / 4 { // quoting makes it longer
		if text = prompt.Quote(prompt.Clip(string(compact(raw)), n)); len(text) <= most || n < 16 {
			return text, true
		}
	}
}
