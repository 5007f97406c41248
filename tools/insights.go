package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

type insightsInput struct {
	Request  string           `json:"request" jsonschema_description:"what the user wants to know, complete in itself"`
	Rows     *finding.RowsRef `json:"rows,omitempty" jsonschema_description:"the rows that the findings are about"`
	Findings json.RawMessage  `json:"findings" jsonschema_description:"what was computed, any JSON, such as the results of stats_analysis and pattern_recognition"`
}

type insightsResult struct {
	Text     string    `json:"text"`
	Insights []insight `json:"insights"`
	Dropped  int       `json:"dropped,omitempty"` // insights with numbers that are not in the data
}

type insight struct {
	Text    string   `json:"text"`
	Figures []figure `json:"figures"`
}

type figure struct {
	Label string `json:"label"`
	Value string `json:"value"` // a number as it is written
}

// insights is the model's reply. Errors about the reply name this type.
type insights struct {
	Insights []struct {
		Text    string `json:"text" jsonschema_description:"one or two sentences"`
		Figures []struct {
			Label string          `json:"label" jsonschema_description:"what it is"`
			Value json.RawMessage `json:"value" jsonschema:"anyof_type=string;number" jsonschema_description:"the number as it is written in the data"`
		} `json:"figures" jsonschema_description:"the numbers that the insight is based on"`
	} `json:"insights"`
}

const (
	maxInsights    = 5
	maxFigures     = 6   // of an insight
	maxInsightText = 600 // bytes
	maxFigureText  = 120
)

// NewInsights returns the tool generate_insights: a model says what findings and
// rows show about a request. Its arguments are {"request", "rows", "findings"},
// rows optional. Its result is {"text", "insights": [{"text", "figures":
// [{"label", "value"}]}], "dropped"} with at most five insights; text has all of
// them, and each value is a string.
//
// The model may refer to the cells of the rows: see package figures. Every other
// number of an insight must be in the data that the model was given: as it is,
// rounded, as a share in percent, or in thousands, millions and so on, as package
// figures reads them. A number such as 1,234 is read in the style of the insight's
// language or, if that is not clear, of the request's language. An insight with
// another number, or without a figure, goes back to the model once and is then left
// out; "dropped" is the number of insights left out. The meaning of a number is not
// checked, and neither are numbers that are spelled out.
//
// Because the text is checked first, it does not stream: it is emitted as one
// [qed.Token].
//
// The model request has the name "generate_insights" ([llm.Request.Name]). The
// reply is JSON, in which a value is a string or a number:
//
//	{"insights": [{"text": "Miami is late by 20 hours.", "figures": [{"label": "delay in hours", "value": 20}]}]}
func NewInsights(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("generate_insights", model, opt, qed.ChannelFinal)
	t := qed.NewTool("generate_insights",
		"Says in words what findings show, such as those of stats_analysis or pattern_recognition, with the figures behind it. It computes nothing itself.",
		func(ctx context.Context, in insightsInput) (insightsResult, error) {
			data, rows, err := newPromptData(ctx, in.Request, in.Rows, in.Findings)
			if err != nil {
				return insightsResult{}, err
			}
			data.MaxInsights = maxInsights
			result, err := m.insights(ctx, data, sourceOf(ctx, &data, rows, in.Findings))
			if err != nil {
				return insightsResult{}, err
			}
			m.emit(ctx, result.Text)
			return result, nil
		})
	return m.finish(t, qed.ModelTool, err)
}

// sourceOf returns what a text about the data of a prompt may state. rows has the
// rows that the model was given.
func sourceOf(ctx context.Context, data *promptData, rows *qed.Table, findings json.RawMessage) figures.Source {
	source := figures.Source{
		Language: answertext.Language(ctx, data.Request),
		Data:     []any{findings, data.Partial, data.Dates.String()},
	}
	if rows != nil {
		own := *rows
		own.Truncated = data.Truncated || data.Partial != "" || data.Shown < data.Count
		source.Tables = []figures.Table{{Rows: own, Query: -1}}
		source.Data = append(source.Data, data.Shown, data.Count)
	}
	return source
}

// insights asks for insights, and once more for those that cannot be used.
func (m *toolModel) insights(ctx context.Context, data promptData, source figures.Source) (insightsResult, error) {
	var accepted []insight
	for range 2 {
		req, err := m.model.Request(m.tool, m.template, &data, nil)
		if err != nil {
			return insightsResult{}, err
		}
		reply, err := modelcall.Object[insights](ctx, m.model, req)
		if len(accepted) > 0 && modelcall.Unusable(err) {
			break // the insights of the first reply are enough
		}
		if err != nil {
			return insightsResult{}, err
		}
		data.Refused = map[string][]string{}
		for _, written := range reply.clipped() {
			if len(accepted) == maxInsights {
				break
			}
			i, wrong, ok := written.check(ctx, source)
			switch {
			case i.Text == "":
			case !ok:
				if len(data.Refused) < 2*maxInsights {
					data.Refused[written.Text] = wrong
				}
			case !slices.Contains(data.Accepted, i.Text):
				accepted = append(accepted, i)
				data.Accepted = append(data.Accepted, i.Text)
			}
		}
		if len(data.Refused) == 0 {
			break
		}
	}
	result := insightsResult{Insights: accepted, Dropped: len(data.Refused)}
	switch {
	case len(accepted) > 0:
		result.Text = "- " + strings.Join(data.Accepted, "\n- ")
	case len(data.Refused) > 0:
		return result, errors.New("every insight of the model names a number that is not in the data, or no figure at all")
	default:
		result.Insights, result.Text = []insight{}, textsOf(ctx).NoInsights
	}
	return result, nil
}

// clipped returns the insights of a reply with their texts cut.
func (r *insights) clipped() []insight {
	all := make([]insight, len(r.Insights))
	for i, given := range r.Insights {
		all[i] = insight{oneLine(given.Text, maxInsightText), []figure{}}
		for _, f := range given.Figures[:min(len(given.Figures), maxFigures)] {
			var value string
			if json.Unmarshal(f.Value, &value) != nil {
				value = withoutExponent(string(f.Value))
			}
			all[i].Figures = append(all[i].Figures, figure{oneLine(f.Label, maxFigureText), oneLine(value, maxFigureText)})
		}
	}
	return all
}

func withoutExponent(number string) string {
	if f, err := strconv.ParseFloat(number, 64); err == nil && strings.ContainsAny(number, "eE") {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return number
}

func oneLine(text string, limit int) string {
	return prompt.Clip(prompt.OneLine(strings.ToValidUTF8(text, "\uFFFD")), limit)
}

// check returns i with its references replaced by values, and the numbers and
// references of i that are not in the source. ok reports that there are none and
// that at least one figure has a number. Texts are written in the language of the
// source, values as in the data.
func (i insight) check(ctx context.Context, source figures.Source) (checked insight, wrong []string, ok bool) {
	l := source.Language
	render := func(text string, l figures.Language) string {
		source.Language = l
		out := figures.NewText(source, nil)
		out.Write(text)
		result := out.Close(ctx)
		wrong = append(wrong, result.Unproved...)
		return result.Text
	}
	checked = insight{render(i.Text, l), make([]figure, len(i.Figures))}
	found := 0
	for k, f := range i.Figures {
		checked.Figures[k] = figure{render(f.Label, l), render(f.Value, figures.English)}
		found += len(figures.Find(checked.Figures[k].Value, figures.PointDecimal))
	}
	return checked, wrong, len(wrong) == 0 && found > 0
}
