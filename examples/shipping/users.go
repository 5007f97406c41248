package shipping

// A User asks for the [Company].
type User struct {
	Name string

	// Aliases are names of his own for ports, and the ids of the ports.
	Aliases map[string]string
}

var (
	// Ana works at the Port of Miami, and means it when she says Miami.
	Ana = User{Name: "ana", Aliases: map[string]string{"Miami": miamiPort}}

	// Ben works with both ports of Miami.
	Ben = User{Name: "ben"}
)
