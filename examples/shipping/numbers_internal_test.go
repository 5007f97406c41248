package shipping

import "testing"

// TestCheckDigits compares check digits with those of real ships and containers.
func TestCheckDigits(t *testing.T) {
	if got, want := imo(907472), "9074729"; got != want {
		t.Errorf("the IMO number is %s, want %s", got, want)
	}
	if got, want := containerNumber("CSQU", 305438), "CSQU3054383"; got != want {
		t.Errorf("the container's number is %s, want %s", got, want)
	}
}
