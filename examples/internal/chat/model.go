package chat

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
)

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
		return nil, false, settings.ErrNoModel
	default:
		model = conf.Priced(replay)
		show.Note("No model is configured (%s): a recorded conversation is replayed.\n"+
			"The model's words are recorded; everything else really runs. To ask what you like, set one of these variables.",
			settings.ModelVariables)
	}
	return model, live, nil
}

// NotRecorded is the error for a question that a recording does not have. It
// lists the questions that can be asked without a model.
func NotRecorded(questions []string) error {
	return fmt.Errorf("%w,\nor ask one of the recorded questions:\n  %s", settings.ErrNoModel, strings.Join(questions, "\n  "))
}
