package shipping

// User is a user of [Company].
type User struct {
	Name string

	// Aliases are the user's own names for ports, with the ids of the ports.
	Aliases map[string]string
}

var (
	// Ana calls the Port of Miami "Miami".
	Ana = User{Name: "ana", Aliases: map[string]string{"Miami": miamiPort}}

	// Ben works with both ports of Miami, and has no aliases.
	Ben = User{Name: "ben"}
)
