package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm"
)

// variables are the settings of which one names a model.
const variables = "OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY"

// ErrNoModel is returned when a program needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured: set " + variables)

// OpenModel returns the configured model, or replay when none is configured, and
// reports whether the model is live. It prints which one answers.
func OpenModel(conf *settings.Settings, show *Printer, replay llm.Model) (model llm.Model, live bool, err error) {
	model, live, err = conf.OpenModel()
	switch {
	case err != nil:
		return nil, false, err
	case live:
		show.Note("Talking to %s.", conf.Model)
	case replay == nil:
		return nil, false, ErrNoModel
	default:
		model = replay
		show.Note("No model is configured (%s): a recorded conversation is replayed.\n"+
			"The model's words are recorded; everything else really runs.", variables)
	}
	return model, live, nil
}

// NotRecorded is the error for a question that a recording does not have. It
// lists the questions that can be asked without a model.
func NotRecorded(questions []string) error {
	return fmt.Errorf("%w,\nor ask one of the recorded questions:\n  %s", ErrNoModel, strings.Join(questions, "\n  "))
}
