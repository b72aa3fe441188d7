package alerting

import "confab/schemas"

// details is what the message about an alert has no room for, to be read in its thread.
func details(alert *schemas.Alert, opts RenderOptions) message { return render(alert, opts) }
