package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

type insightsInput struct {
	Request  string          `json:"request" jsonschema_description:"what the user wants to know, complete in itself"`
	Rows     *qed.RowsRef    `json:"rows,omitempty" jsonschema_description:"the rows that the findings are about"`
	Findings json.RawMessage `json:"findings" jsonschema_description:"what was computed, any JSON, such as the results of stats_analysis and pattern_recognition"`
}

type insightsResult struct {
	Text     string    `json:"text"`
	Insights []insight `json:"insights"`
	Dropped  int       `json:"dropped,omitempty"` // how many had numbers that nobody gave
}

type insight struct {
	Text    string   `json:"text"`
	Figures []figure `json:"figures"`
}

type figure struct {
	Label string `json:"label"`
	Value string `json:"value"` // a number, as it is written
}

// insights is what the model replies. Its type is named there where the reply cannot be used.
type insights struct {
	Insights []struct {
		Text    string `json:"text" jsonschema_description:"one or two sentences"`
		Figures []struct {
			Label string          `json:"label" jsonschema_description:"what it is"`
			Value json.RawMessage `json:"value" jsonschema:"anyof_type=string;number" jsonschema_description:"the number as it stands in the data"`
		} `json:"figures" jsonschema_description:"the numbers that it rests on"`
	} `json:"insights"`
}

const (
	mostInsights = 5
	mostFigures  = 6   // of an insight
	longInsight  = 600 // bytes
	longFigure   = 120
)

// NewInsightsTool returns the tool generate_insights: a model says what findings, and rows beside them, show about a request. Its arguments are
// {"request", "rows", "findings"}, rows optional; its result is {"text", "insights": [{"text", "figures": [{"label", "value"}]}], "dropped"}, with
// at most five insights, and text has them all. A value is a string.
//
// Every number in an insight must stand in what the model was given: as it is, rounded, as a share in percent, or in thousands, millions and so on,
// where 20 million is not 20, unless the data says so beside it, as a column revenue_millions does. A number such as 1,234 is read as the
// language of the insight, or else of the request, has it, and in the value of a figure as JSON has it. That the number says the
// same as in the data is not looked at, and neither are numbers in words. An insight with another number, or that rests on no figure, goes back
// to the model once, and is then left out; "dropped" says how many were. As the text is checked first, it does not stream: it is told as one
// [Token], see [ModelToolOptions] Channel.
//
// The model is asked by the request "generate_insights" ([llm.Request] Name). What comes back is JSON, where a value is a string or a number:
//
//	{"insights": [{"text": "Miami is late by 20 hours.", "figures": [{"label": "delay in hours", "value": 20}]}]}
func NewInsights(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("generate_insights", model, opt, qed.ChannelFinal)
	t := qed.NewTool("generate_insights", "Says in words what findings show, such as those of stats_analysis or pattern_recognition, with the figures behind it. It computes nothing itself.",
		func(ctx context.Context, in insightsInput) (insightsResult, error) {
			seen := newNumberSet()
			data, err := toolData(ctx, in.Request, in.Rows, in.Findings, m.maxData, seen)
			if err != nil {
				return insightsResult{}, err
			}
			data.Most = mostInsights
			result, err := m.insights(ctx, data, seen)
			if err != nil {
				return insightsResult{}, err
			}
			m.tell(ctx, result.Text)
			return result, nil
		})
	return m.made(t, qed.ModelTool, err)
}

// insights asks for insights, and once more for those that cannot be used.
func (m *toolModel) insights(ctx context.Context, data PromptData, seen *numberSet) (insightsResult, error) {
	var taken []insight
	for range 2 {
		req, err := m.model.Request(m.tool, m.template, data, nil)
		if err != nil {
			return insightsResult{}, err
		}
		reply, err := asking.Object[insights](ctx, m.model, new(llm.Usage), req)
		if len(taken) > 0 && asking.Unusable(err) {
			break // what there is must do
		}
		if err != nil {
			return insightsResult{}, err
		}
		data.Refused = map[string][]string{}
		for _, i := range reply.clipped() {
			if len(taken) == mostInsights {
				break
			}
			numbers, ok := i.rests(seen, data.Request)
			switch {
			case i.Text == "":
			case !ok:
				if len(data.Refused) < 2*mostInsights {
					data.Refused[i.Text] = numbers
				}
			case !slices.Contains(data.Taken, i.Text):
				taken = append(taken, i)
				data.Taken = append(data.Taken, i.Text)
			}
		}
		if len(data.Refused) == 0 {
			break
		}
	}
	result := insightsResult{Insights: taken, Dropped: len(data.Refused)}
	switch {
	case len(taken) > 0:
		result.Text = "- " + strings.Join(data.Taken, "\n- ")
	case len(data.Refused) > 0:
		return result, errors.New("no insight of the model rests on the figures that it was given: all of them name others")
	default:
		result.Insights, result.Text = []insight{}, "The figures show nothing that stands out."
	}
	return result, nil
}

// clipped returns the insights of a reply, with their texts cut.
func (r *insights) clipped() []insight {
	all := make([]insight, len(r.Insights))
	for i, given := range r.Insights {
		all[i] = insight{oneLine(given.Text, longInsight), []figure{}}
		for _, f := range given.Figures[:min(len(given.Figures), mostFigures)] {
			var value string
			if json.Unmarshal(f.Value, &value) != nil {
				value = plainNumber(string(f.Value))
			}
			all[i].Figures = append(all[i].Figures, figure{oneLine(f.Label, longFigure), oneLine(value, longFigure)})
		}
	}
	return all
}

func oneLine(text string, most int) string {
	return prompt.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "), most)
}

// rests reports whether all numbers of i stand in the data, and a figure is among them; and else which do not. The texts are in the language of
// the request; values are written as the data is.
func (i insight) rests(seen *numberSet, request string) (strangers []string, ok bool) {
	style := styleOf(i.Text, request)
	strangers = seen.strangers(i.Text, style)
	figures := 0
	for _, f := range i.Figures {
		strangers = append(strangers, seen.strangers(f.Label, style)...)
		strangers = append(strangers, seen.strangers(f.Value, pointStyle)...)
		figures += len(writtenNumbers(f.Value, pointStyle))
	}
	return strangers, len(strangers) == 0 && figures > 0
}
