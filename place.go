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

// A place is a position in a durable run: a node's visit, a call, a branch.
// What is recorded there has the place's address. Addresses are made of names
// in the program's own order, so that the same code has the same addresses when
// it runs again.
type place struct {
	log     *runState
	address string // see here
	visit   string // the name of the node that is visited, in addresses; empty if none is
	number  int    // of the visit
	up      *place // what it is part of
	scope   *place // the innermost namespace ([WithNamespace]), or nil

	branch  bool  // it runs concurrently with others: a question here does not stop them
	attempt int   // of the node, from 1
	since   int64 // records up to this number are not found here

	cannotInterrupt string // why the run may not be interrupted here; empty: it may
	cannotApprove   string // the same for the approval of a tool's call

	stateRun int64 // the run whose state the agent's turn began with; see [RunInfo.QuestionsAborted]

	asked atomic.Bool // a question here waits for its reply: nothing more is done

	once sync.Once
	mu   sync.Mutex
	used map[string]int // how often each name was used
}

// part returns the place of a part of p. No other part of p may have its
// address.
func (p *place) part(address string) *place {
	return &place{
		log: p.log, address: address, up: p, scope: p.scope, attempt: p.attempt, since: p.since,
		cannotInterrupt: p.cannotInterrupt, cannotApprove: p.cannotApprove,
	}
}

// visited returns the place of an attempt of a visit of a node of p, which may be
// nil. The number of the visit tells it from other ones; all attempts have the same
// address.
func (p *place) visited(node string, number, attempt int) *place {
	if p == nil {
		return nil
	}
	visit := p.part("")
	visit.visit, visit.number, visit.attempt = node, number, attempt
	return visit
}

// child returns the place of the next part of p that has a name.
func (p *place) child(name string) *place { return p.part(p.next(name)) }

// besideOthers reports whether p is in a branch.
func (p *place) besideOthers() bool {
	for ; p != nil; p = p.up {
		if p.branch {
			return true
		}
	}
	return false
}

// again returns p for a part of the given name alone, in which records up to a
// number are not found. The part has the address that it would have had in p,
// and no other part of p has.
func (p *place) again(name string, since int64) *place {
	part := p.part(p.here())
	part.since = since
	p.mu.Lock()
	defer p.mu.Unlock()
	part.used = map[string]int{name: p.used[name]}
	p.use(name)
	return part
}

// use counts a use of name. p.mu is held.
func (p *place) use(name string) int {
	if p.used == nil {
		p.used = map[string]int{}
	}
	p.used[name]++
	return p.used[name]
}

// peek returns the address that next will return. The name needs no escape.
func (p *place) peek(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.numbered(name, p.used[name]+1)
}

// next returns the address of the next part of p that has a name.
func (p *place) next(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.numbered(name, p.use(name))
}

func (p *place) numbered(name string, n int) string {
	if n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	return p.below(name)
}

// below returns the address of name in p. The caller makes sure that it is used
// once.
func (p *place) below(name string) string {
	address := p.here()
	if address == "" {
		return shorten(name)
	}
	return shorten(address + "/" + name)
}

// here returns p's address. That of a visit is made when it is needed, as most
// visits record nothing.
func (p *place) here() string {
	if p.visit != "" {
		p.once.Do(func() { p.address = p.up.below(strconv.Itoa(p.number) + "." + p.visit) })
	}
	return p.address
}

// scoped returns the place of a namespace: its address depends on the
// namespaces around it and on nothing else.
func (p *place) scoped(name string) *place {
	address := "@" + escapePath(name)
	if p.scope != nil {
		address = p.scope.address + "/" + address
	}
	s := p.part(shortenTo(address, maxNamespace))
	s.scope, s.since = s, 0
	return s
}

// id returns a short name for p, which no other run has.
func (p *place) id(prefix string) string {
	return fmt.Sprintf("%s%x", prefix, sha256.Sum256([]byte(p.log.key+" "+p.address)))[:17]
}

// ask marks p, and all that waits for p, as waiting for a reply.
func (p *place) ask() {
	for ; p != nil; p = p.up {
		p.asked.Store(true)
		if p.branch {
			return
		}
	}
}

// settle returns err, or ErrInterrupted if p waits for a reply, whatever the
// code made of that error.
func (p *place) settle(err error) error {
	if p.asked.Load() && !errors.Is(err, ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

// ready returns why nothing more may be done at p, or nil.
func (p *place) ready() error {
	for around := p; around != nil; around = around.up {
		if around.asked.Load() {
			return ErrInterrupted
		}
	}
	return cancelled(p.log.ctx)
}

// exclusive waits until no other goroutine makes the call at p. In a namespace
// several branches can reach the same call at the same time.
func (p *place) exclusive(ctx context.Context) (leave func(), err error) {
	if p.scope == nil {
		return func() {}, nil
	}
	rs := p.log
	for {
		rs.mu.Lock()
		other := rs.making[p.address]
		if other == nil {
			mine := make(chan struct{})
			if rs.making == nil {
				rs.making = map[string]chan struct{}{}
			}
			rs.making[p.address] = mine
			rs.mu.Unlock()
			return func() {
				rs.mu.Lock()
				defer rs.mu.Unlock()
				delete(rs.making, p.address)
				close(mine)
			}, nil
		}
		rs.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, cancelled(ctx)
		}
	}
}

// of returns the place of a tool that is called at p, which may be nil.
func (p *place) of(t *Tool) *place {
	if p == nil || t.Interrupts {
		return p
	}
	called := p.part(p.here())
	called.cannotInterrupt = "tool " + t.Name + " does not have Interrupts set"
	return called
}

const (
	maxAddress   = 1000 // bytes; see [store.Record]
	maxNamespace = 500  // less, so that addresses within a namespace begin with its address
	hashed       = 65   // what a hash adds
)

// shorten returns address, or, if it is too long for a store, its beginning and
// a hash.
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

// escape returns a text as a name in an address: characters that have a meaning
// there, or cannot be printed, are written as %XX.
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

// escapePath is escape for names that are separated by slashes.
func escapePath(path string) string {
	names := strings.Split(path, "/")
	for i := range names {
		names[i] = escape(names[i])
	}
	return strings.Join(names, "@") // not a slash: "a/b" must not be part of "a"
}

func isSpecial(r rune) bool {
	switch r {
	case '/', '#', '@', ':', '~', '%', utf8.RuneError:
		return true
	}
	return !unicode.IsPrint(r)
}
