package todoagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts that the agent writes for users, other than those of models
// and tools. Empty fields mean the defaults. A name in braces is replaced by its
// value: {key} is the name of a task and {task} what it does.
type Texts struct {
	// Answers.
	Aborted      string // the user wants nothing more
	PlanDropped  string // the user rejected the plan
	Limit        string // the limit of the request was reached
	PlanOpen     string // follows Limit if the plan is not done; {key}
	TaskFailed   string // {task} failed
	TaskUnknown  string // {task} was begun in an earlier turn, and its outcome is not known
	FailedHelp   string // follows TaskFailed: what the user can say; {key}
	MayNotRepeat string // {task} failed and must not run again by itself; {key}
	NotChanged   string // the change of the plan that the user asked for was not made; {problem}
	NoPlan       string // no plan could be made
	NothingToDo  string // the model made a plan without tasks, and did not say why
	NothingLeft  string // no task of the plan ran
	AllLost      string // no result is saved any more
	TaskDone     string // {task} was done and returned nothing to show

	// Questions.
	Plan      string // the plan follows
	Approve   string // comes after the plan
	Unusable  string // comes before the plan if the user's changes cannot be used; {problem}
	HowToPlan string // no plan could be made: how should it be made?

	// Why an answer is partial, if none of the answers above says it.
	NotApproved string
	Because     string // {text} and the user's {reason}
	NoTool      string // no tool can do it
	Skipped     string // {tasks} were skipped
	Lost        string // a result is not saved any more

	Unproved string // what the answer says without proof: {numbers}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		Aborted:      "All right.",
		PlanDropped:  "All right, the plan is dropped.",
		Limit:        "I had to stop here, because the limit for one request was reached.",
		PlanOpen:     "The plan stays open at {key}: say \"continue\" to resume it.",
		TaskFailed:   "This step did not work: {task}.",
		TaskUnknown:  "This step was begun, and it is not known whether it took effect: {task}. Please check that first.",
		FailedHelp:   "Say \"retry\", \"skip {key}\", or what to do instead.",
		MayNotRepeat: "To run it again, say \"retry {key}\"; to leave it out, say \"skip {key}\".",
		NotChanged:   "The plan was not changed: {problem}\nSay \"continue\" to resume it unchanged.",
		NoPlan:       "I could not make a plan for this. Please ask in other words, or for less at once.",
		NothingToDo:  "There is nothing that I can do about this. Please ask for something else.",
		NothingLeft:  "Nothing was left to do.",
		AllLost:      "The results are not saved any more. Please ask again.",
		TaskDone:     "{task}: done",
		Plan:         "This is the plan:",
		Approve:      "May it run?",
		Unusable:     "The changed plan cannot be used: {problem}",
		HowToPlan:    "I could not make a plan for this. How should I proceed?",
		NotApproved:  "The plan was not approved.",
		Because:      "{text} You said: {reason}",
		NoTool:       "I have no way to do this.",
		Skipped:      "These steps were skipped: {tasks}.",
		Lost:         "Some results are not saved any more. Please ask again for them.",

		Unproved: answertext.Unproved,
	},
	usertext.German: {
		Aborted:      "In Ordnung.",
		PlanDropped:  "In Ordnung, der Plan ist verworfen.",
		Limit:        "Ich musste hier aufhören, weil die Grenze für eine Anfrage erreicht ist.",
		PlanOpen:     "Der Plan bleibt bei {key} offen: Sagen Sie „weiter“, um ihn fortzusetzen.",
		TaskFailed:   "Dieser Schritt ist nicht gelungen: {task}.",
		TaskUnknown:  "Dieser Schritt wurde begonnen, und es ist nicht bekannt, ob er gewirkt hat: {task}. Bitte prüfen Sie das zuerst.",
		FailedHelp:   "Sagen Sie „nochmal“, „überspringe {key}“ oder was stattdessen geschehen soll.",
		MayNotRepeat: "Sagen Sie „wiederhole {key}“, um ihn noch einmal auszuführen, oder „überspringe {key}“, um ihn auszulassen.",
		NotChanged:   "Der Plan wurde nicht geändert: {problem}\nSagen Sie „weiter“, um ihn unverändert fortzusetzen.",
		NoPlan:       "Dafür konnte ich keinen Plan machen. Bitte fragen Sie mit anderen Worten oder nach weniger auf einmal.",
		NothingToDo:  "Dazu kann ich nichts tun. Bitte fragen Sie nach etwas anderem.",
		NothingLeft:  "Es war nichts mehr zu tun.",
		AllLost:      "Die Ergebnisse sind nicht mehr gespeichert. Bitte fragen Sie noch einmal.",
		TaskDone:     "{task}: erledigt",
		Plan:         "Das ist der Plan:",
		Approve:      "Darf er ausgeführt werden?",
		Unusable:     "Der geänderte Plan kann nicht verwendet werden: {problem}",
		HowToPlan:    "Dafür konnte ich keinen Plan machen. Wie soll ich vorgehen?",
		NotApproved:  "Der Plan wurde nicht genehmigt.",
		Because:      "{text} Sie sagten: {reason}",
		NoTool:       "Das kann ich nicht tun.",
		Skipped:      "Diese Schritte wurden ausgelassen: {tasks}.",
		Lost:         "Einige Ergebnisse sind nicht mehr gespeichert. Bitte fragen Sie noch einmal danach.",

		Unproved: answertext.UnprovedGerman,
	},
}

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *Texts { return a.text.In(qed.Info(ctx).Language) }

// about fills in a text about a task.
func about(text string, t *qed.Todo) string {
	return usertext.Fill(text, "key", t.Key, "task", t.Description)
}
