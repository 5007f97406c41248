package tools

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// ModelToolOptions say how one of this package's tools asks its model. Nil and zero fields mean the defaults.
type Options struct {
	// Settings are how the tool calls its model. A call of the tool may take
	// twice as long as ModelTimeout.
	llm.Settings

	// MaxData limits the rows that stand in a prompt, and all other data in it, in bytes each. 0 means 24 KiB.
	MaxData int

	// Channel is where the text is told as [Token]s. Empty means [ChannelFinal] for [NewSummaryTool] and [NewInsightsTool], as their text is
	// an agent's answer, mostly, and [ChannelTool] for [NewLLMTool]. ChannelFinal becomes ChannelTool where the text is not the answer of the
	// agent that is listened to: in an agent that is a tool of another one, and in a plan ([todoagent.New]) in all tasks but the last.
	Channel qed.Channel

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
	model    *asking.Model
	json     *asking.Model // the same in JSON mode
	tool     string
	timeout  time.Duration
	maxData  int
	channel  qed.Channel
	template *template.Template
}

// newToolModel returns how the tool of a name asks. channel is where its text is told if opt says nothing.
func newToolModel(tool string, model llm.Model, opt *Options, channel qed.Channel) (*toolModel, error) {
	if opt == nil {
		opt = &Options{}
	}
	m := &toolModel{tool: tool, timeout: opt.ModelTimeout, maxData: opt.MaxData, channel: opt.Channel, template: prompt.Parse(promptFiles, tool+".tmpl")}
	if model == nil {
		return m, fmt.Errorf("qed: tool %s needs a model", tool)
	}
	var err error
	if m.model, err = asking.New("tool "+tool, model, opt.Settings, qed.DurableModel); err != nil {
		return m, err
	}
	settings := opt.Settings
	settings.JSONMode = true // no provider constrains a reply to a schema that allows every object
	if m.json, err = asking.New("tool "+tool, model, settings, qed.DurableModel); err != nil {
		return m, err
	}
	if err := option.Default("tool "+tool+": ModelToolOptions.MaxData", &m.maxData, defaultToolData); err != nil {
		return m, err
	}
	if m.timeout == 0 {
		m.timeout = asking.Standard.ModelTimeout
	}
	if m.channel == "" {
		m.channel = channel
	}
	return m, prompt.Replace("qed: tool "+tool+": ModelToolOptions", prompt.Text{Name: "Prompt", Host: opt.Prompt, Own: &m.template, Data: PromptData{}})
}

// made returns t as the tool that asks m. err is what is wrong with m: Add tells.
func (m *toolModel) made(t qed.Tool, kind qed.ToolKind, err error) qed.Tool {
	t.Kind, t.Idempotent, t.Timeout = kind, true, 2*m.timeout
	if err != nil {
		return qed.InvalidTool(t.Name, err)
	}
	return t
}

// text asks for a text and tells it as it comes. It reports whether the model was cut off.
func (m *toolModel) text(ctx context.Context, data PromptData) (text string, cut bool, err error) {
	req, err := m.model.Request(m.tool, m.template, data, nil)
	if err != nil {
		return "", false, err
	}
	text, err = m.model.Text(ctx, new(llm.Usage), req, func(piece string) { m.tell(ctx, piece) })
	if cut = errors.Is(err, llm.ErrTruncated) && text != ""; err != nil && !cut {
		return "", false, err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		return "", false, errors.New("the model's text is empty")
	}
	return text, cut, nil
}

// tell tells a piece of the tool's text.
func (m *toolModel) tell(ctx context.Context, text string) {
	if text != "" {
		qed.Emit(ctx, qed.Token{Channel: m.channel, Content: text})
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

// compact returns JSON without spaces.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
