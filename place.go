package qed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// A place is where in a durable run a scope is. What is recorded there has the place's address: names that the program's own
// order gives, so that the same code comes to the same address when it runs again.
type place struct {
	log     *journal
	address string // see here
	visit   string // the name of the node that is visited
	number  int    // of the visit
	up      *place // what it is part of
	scope   *place // the nearest one that Scope made, or nil

	branch  bool   // it runs beside others: a question here does not stop them
	attempt int    // of the node, from 1
	since   int64  // records up to this number are not found here
	mute    string // why nobody may be asked here; empty: he may

	approvals string // the same for the approval of calls
	stateRun  int64  // the run whose state the agent's turn began with; see [GaveUp]

	asked atomic.Bool // the user is asked something here: nothing more is done

	once sync.Once
	mu   sync.Mutex
	used map[string]int // how often each name was
}

// part returns the place of a part of p. Its address must be p's alone.
func (p *place) part(address string) *place {
	part := new(place)
	p.become(part, address)
	return part
}

// become makes part, which is zero, the place of a part of p.
func (p *place) become(part *place, address string) {
	part.log, part.address, part.up, part.scope = p.log, address, p, p.scope
	part.attempt, part.since, part.mute, part.approvals = p.attempt, p.since, p.mute, p.approvals
}

// child returns the place of the next part of p that has a name.
func (p *place) child(name string) *place { return p.part(p.next(name)) }

// besideOthers reports whether p is in something that runs beside others.
func (p *place) besideOthers() bool {
	for ; p != nil; p = p.up {
		if p.branch {
			return true
		}
	}
	return false
}

// again returns p for a part of the given name alone, in which records up to a number are not found. Its address is that which the part
// would have had in p, and no other part of p has.
func (p *place) again(name string, since int64) *place {
	part := p.part(p.here())
	part.since = since
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]int{}
	}
	part.used = map[string]int{name: p.used[name]}
	p.used[name]++
	return part
}

// peek returns the address that next will return. The name is free of what escape escapes.
func (p *place) peek(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.numbered(name, p.used[name]+1)
}

// next returns the address of the next part of p that has a name.
func (p *place) next(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]int{}
	}
	p.used[name]++
	return p.numbered(name, p.used[name])
}

func (p *place) numbered(name string, n int) string {
	if n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	return p.below(name)
}

// below returns the address of what is called name in p. Callers see to it that there is only one.
func (p *place) below(name string) string {
	address := p.here()
	if address == "" {
		return shorten(name)
	}
	return shorten(address + "/" + name)
}

// here returns p's address. Most visits record nothing, so theirs are made when they are needed.
func (p *place) here() string {
	if p.visit != "" {
		p.once.Do(func() { p.address = p.up.below(strconv.Itoa(p.number) + "." + p.visit) })
	}
	return p.address
}

// scoped returns the place of a Scope: its address depends on the Scopes around it and on nothing else.
func (p *place) scoped(name string) *place {
	address := "@" + escapePath(name)
	if p.scope != nil {
		address = p.scope.address + "/" + address
	}
	s := p.part(shortenTo(address, maxScope))
	s.scope, s.since = s, 0
	return s
}

const (
	maxAddress = 1000
	maxScope   = 500 // less, so that what lies below a Scope begins with its address
	hashed     = 65  // what a hash adds
)

// shorten returns an address that stores take: of a longer one, the end becomes its hash.
func shorten(address string) string { return shortenTo(address, maxAddress) }

func shortenTo(address string, most int) string {
	if len(address) <= most {
		return address
	}
	cut := most - hashed
	for !utf8.RuneStart(address[cut]) {
		cut--
	}
	return fmt.Sprintf("%s~%x", address[:cut], sha256.Sum256([]byte(address)))
}

// escape makes any text a name in an address: what has a meaning there, or cannot be printed, is written as %XX.
func escape(name string) string {
	if !strings.ContainsFunc(name, isSpecial) && name != "" {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		_, size := utf8.DecodeRuneInString(name[i:])
		if !isSpecial(r) {
			b.WriteString(name[i : i+size])
			continue
		}
		for _, c := range []byte(name[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if name == "" {
		return "%"
	}
	return b.String()
}

// escapePath is escape for names that slashes separate.
func escapePath(path string) string {
	names := strings.Split(path, "/")
	for i := range names {
		names[i] = escape(names[i])
	}
	return strings.Join(names, "@") // not by a slash: what lies below "a" is not "a/b"
}

// id returns a short name for p, which no other run has.
func (p *place) id(prefix string) string {
	return fmt.Sprintf("%s%x", prefix, sha256.Sum256([]byte(p.log.key+" "+p.address)))[:17]
}

func isSpecial(r rune) bool {
	switch r {
	case '/', '#', '@', ':', '~', '%', utf8.RuneError:
		return true
	}
	return !unicode.IsPrint(r)
}

// ask marks p, and all that waits for it, as waiting for the user.
func (p *place) ask() {
	for ; p != nil; p = p.up {
		p.asked.Store(true)
		if p.branch {
			return
		}
	}
}

// settle returns err, or that the user is asked where p waits for him, whatever the code made of that error.
func (p *place) settle(err error) error {
	if p.asked.Load() && !errors.Is(err, ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

// alone waits until nobody else makes the call at p, which several branches may come to at the same time where it is in a Scope.
func (p *place) alone(ctx context.Context) (leave func(), err error) {
	if p.scope == nil {
		return func() {}, nil
	}
	j := p.log
	for {
		j.mu.Lock()
		other := j.making[p.address]
		if other == nil {
			mine := make(chan struct{})
			if j.making == nil {
				j.making = map[string]chan struct{}{}
			}
			j.making[p.address] = mine
			j.mu.Unlock()
			return func() {
				j.mu.Lock()
				defer j.mu.Unlock()
				delete(j.making, p.address)
				close(mine)
			}, nil
		}
		j.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, cancelled(ctx)
		}
	}
}

// ready returns why nothing more may be done at p.
func (p *place) ready() error {
	for around := p; around != nil; around = around.up {
		if around.asked.Load() {
			return ErrInterrupted
		}
	}
	return cancelled(p.log.ctx)
}

// of returns the place of a tool that is called at p, which may be nil.
func (p *place) of(t Tool) *place {
	if p == nil || t.Interrupts {
		return p
	}
	mute := p.part(p.here())
	mute.mute = "tool " + t.Name + " may not ask, unless its Asks says so"
	return mute
}
