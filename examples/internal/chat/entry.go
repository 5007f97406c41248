package chat

import (
	"fmt"

	"github.com/qedkit/qed/todoagent"
)

// Entry shows what a thread remembers of a task.
func (p *Printer) Entry(e todoagent.Entry) {
	p.step(dim, "memory", fmt.Sprintf("%d %s, %s: %s", e.TurnID, e.TodoKey, e.Status, e.AgentAction))
}
