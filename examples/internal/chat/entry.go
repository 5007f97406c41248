package chat

import (
	"fmt"

	"github.com/qedkit/qed"
)

// Entry shows what a thread remembers of a task.
func (p *Printer) Entry(e qed.TodoEntry) {
	p.step(dim, "memory", fmt.Sprintf("%d %s, %s: %s", e.TurnID, e.TodoKey, e.Status, e.AgentAction))
}
