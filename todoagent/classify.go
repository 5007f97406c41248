package todoagent

import (
	"context"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/stockphrases"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
)

// The intents that only this agent has, next to those of package question.
const (
	IntentContinue     question.Intent = "continue"     // run the open plan further
	IntentContinuation question.Intent = "continuation" // a new request about what was found before
)

// readIntent is how a message is read: the model's reply to classify_intent.
type readIntent struct {
	Intent  question.Intent `json:"intent" jsonschema:"enum=new_request,enum=modification,enum=continue,enum=continuation,enum=abort"`
	Changes []taskChange    `json:"changes,omitempty" jsonschema_description:"with modification: the tasks of the plan that the user wants skipped, done again or changed, if nothing else changes"`
	Reason  string          `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

// The phrases that have one meaning while a plan is open.
var (
	continueWords = []string{"continue", "go on", "resume", "proceed", "next", "carry on", "keep going", "go ahead",
		"weiter", "mach weiter", "fortsetzen", "fortfahren"}
	retryWords = []string{"retry", "try again", "again", "once more", "retry it", "repeat", "nochmal", "noch einmal", "erneut", "wiederholen"}
	skipWords  = []string{"skip", "skip it", "skip this", "skip that", "leave it out", "überspringen", "auslassen"}
)

// classify is the node that reads what a message means for the open plan: it
// replies to a question, continues or changes the plan, or asks for something
// else.
func (a *agent) classify(ctx context.Context, s state) (state, error) {
	// An earlier turn may have been stopped before it saved what it did.
	if err := a.saveAll(ctx, &s); err != nil {
		return s, err
	}
	if s.Replied {
		s.Intent = question.IntentAnswer
		qed.Emit(ctx, qed.IntentClassified{Intent: question.IntentAnswer})
		return s, nil
	}
	if s.Plan != nil && !s.Plan.open() {
		if !s.Answered && (stockphrases.Says(s.Text, continueWords) || stockphrases.Says(s.Text, retryWords)) {
			s.Intent = IntentContinue // the plan's answer was not given yet
			qed.Emit(ctx, qed.IntentClassified{Intent: IntentContinue})
			return s, nil
		}
		s.Plan = nil
	}
	if err := a.addKnown(ctx, &s); err != nil {
		return s, err
	}
	read, err := a.intent(ctx, &s)
	if err != nil || s.Said != "" {
		return s, err
	}
	s.Intent = read.Intent
	event := qed.IntentClassified{Intent: read.Intent, Reason: prompt.Clip(read.Reason, maxReason)}
	for _, c := range read.Changes {
		event.Tasks = append(event.Tasks, c.Key)
	}
	qed.Emit(ctx, event)
	switch {
	case read.Intent == question.IntentAbort:
		s.Plan, s.Dropped = nil, true
	case read.Intent == IntentContinue:
		if t := s.Plan.task(s.Plan.Current); !a.retryFailed(ctx, s.Plan) {
			texts := a.texts(ctx)
			s.failed(texts, t)
			s.Said += "\n" + about(texts.MayNotRepeat, t)
		}
	case len(read.Changes) > 0: // made by intent
	default:
		s.startRequest(read.Intent)
	}
	return s, nil
}

// startRequest makes the message the request that a new plan is made for.
func (s *state) startRequest(intent question.Intent) {
	s.Before = ""
	if intent == question.IntentModification || intent == IntentContinuation {
		s.Before = s.Rewritten
		if s.Plan != nil {
			s.Before = s.Plan.Rewritten
		}
	}
	s.Plan, s.Request, s.Rewritten, s.PlanID, s.Ran, s.Answered = nil, s.Text, "", "", nil, false
}

// intent returns what a message means, and makes the changes to the plan that it
// asks for. If they cannot be made, s.Said says why.
func (a *agent) intent(ctx context.Context, s *state) (readIntent, error) {
	if read, ok := s.certainIntent(); ok {
		if problem := a.change(ctx, s.Plan, read.Changes, true); problem != nil {
			s.refuseChange(a.texts(ctx), problem)
		}
		return read, nil
	}
	data := classifyData{Message: s.Text, Known: s.Known}
	if s.Plan != nil {
		data.Plan = s.Plan.shown()
		data.Request = s.Plan.Rewritten
	}
	var problem error
	for range maxReplans + 1 {
		read, err := modelcall.Reply[readIntent](ctx, a.model, "classify_intent", a.prompts["classify_intent"], &data, s.History)
		switch {
		case modelcall.Unusable(err):
			return readIntent{Intent: question.IntentNewRequest, Reason: "the model's reply could not be used"}, nil
		case err != nil:
			return readIntent{}, err
		}
		read.normalize(s)
		if problem = a.change(ctx, s.Plan, read.Changes, false); problem == nil {
			edits := slices.ContainsFunc(read.Changes, func(c taskChange) bool { return c.Action == "edit" })
			if edits && a.opt.ApprovePlan {
				s.Plan.Proposed = true // the arguments are the model's, not the user's
			}
			return read, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
	}
	s.refuseChange(a.texts(ctx), problem)
	return readIntent{}, nil
}

// certainIntent returns what a message means if that is certain without a model.
func (s *state) certainIntent() (readIntent, bool) {
	switch {
	case stockphrases.Says(s.Text, stockphrases.Abort):
		return readIntent{Intent: question.IntentAbort}, true
	case s.Plan != nil && stockphrases.Says(s.Text, continueWords):
		return readIntent{Intent: IntentContinue}, true
	case s.Plan == nil && len(s.Known.Queries) == 0:
		return readIntent{Intent: question.IntentNewRequest}, true
	}
	if changes, ok := parseChanges(s.Text); ok && s.Plan != nil {
		for i := range changes {
			if changes[i].Key == "" {
				changes[i].Key = s.Plan.Current
			}
			ok = ok && s.Plan.task(changes[i].Key) != nil
		}
		if ok {
			return readIntent{Intent: question.IntentModification, Changes: changes}, true
		}
	}
	// The message closed open questions, and was read then.
	if (s.Read == question.IntentNewRequest || s.Read == question.IntentAbort) && s.ReadReason != "" {
		return readIntent{Intent: s.Read, Reason: s.ReadReason}, true
	}
	return readIntent{}, false
}

// normalize makes of the model's intent one that is possible in s.
func (r *readIntent) normalize(s *state) {
	switch {
	case s.Plan == nil && (r.Intent == question.IntentModification || r.Intent == IntentContinue):
		r.Intent = IntentContinuation // without an open plan, only earlier results can be meant
	case r.Intent == question.IntentAnswer:
		r.Intent = question.IntentModification
	}
	if r.Intent != question.IntentModification || s.Plan == nil {
		r.Changes = nil
	}
}

// refuseChange makes the answer say why the plan stays as it is.
func (s *state) refuseChange(texts *texts, problem error) {
	s.Said = usertext.Fill(texts.NotChanged, "problem", problem.Error())
	s.Reason, s.Failure = s.Said, problem.Error()
}

// parseReplies reads a message that arrives while a question of a task is open.
// A message that changes the plan replies to no question, unless it is one of the
// question's choices.
func (a *agent) parseReplies(ctx context.Context, open []question.Question, text string) (question.Parsed, error) {
	accepts := func(q question.Question) bool {
		_, ok := q.Choice(text)
		return ok || q.Kind == question.KindText
	}
	if _, ok := parseChanges(text); ok && !slices.ContainsFunc(open, accepts) {
		return question.Parsed{Intent: question.IntentModification}, nil
	}
	return a.parse(ctx, open, text)
}
