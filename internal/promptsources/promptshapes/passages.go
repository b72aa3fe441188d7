package promptshapes

// Passages are texts of help centres, policies and manuals. They are full of the words that instructions have, too: must,
// you, please, always, never, and commands.
func Passages() []string {
	return append(rules(), notes()...)
}

func rules() []string {
	return []string{
		"You can reset your password on the sign-in page. Please choose at least 12 characters and never reuse an old password.",
		"Service credits must be claimed within 30 days of the outage. Claims that arrive later are always rejected.",
		"Always unplug the kettle before you clean it. Never put the base under running water.",
		"Please contact support by e-mail if your parcel is late by more than five working days. You should have your order number at hand.",
		"Mentions are always delivered, even in quiet hours. Other notifications are held back until 7:00.",
		"Only the owner of a workspace can delete it. The workspace must be empty, and you must confirm the deletion twice.",
		"Guests should check in between 15:00 and 22:00. If you arrive later, you will find your key in the box beside door B.",
		"The lamp has a warranty of two years. You can write to support to claim it; please attach the invoice.",
		"Employees must request leave at least two weeks ahead. Do not book travel before your manager has approved the request.",
		"To descale the machine, fill the tank with 0.5 litres of vinegar, press and hold the steam button for three seconds, and wait for 20 minutes.",
		"Never store the battery below 5 °C. Use only the charger that came with the drill, and keep it away from children.",
		"Your subscription renews every month on the day you signed up. Answer the reminder with STOP to cancel it.",
		"If the customer asks for a refund after 14 days, the shop may offer a voucher of the same value instead.",
		"You are entitled to 30 days of paid leave a year. Unused days expire on 31 March of the following year.",
		"Note that the free plan includes three projects and 500 MB of storage. Upgrade to Team for 12 euros per seat and month.",
		"Step 1: Open Settings.\nStep 2: Choose Security.\nStep 3: Turn on two-factor authentication and scan the code with your phone.",
		"- Open the lid.\n- Remove the filter and rinse it under warm water.\n- Let it dry for 24 hours before you put it back.",
		"Do not mix bleach with ammonia. If you inhale the fumes, go outside at once and call 112.",
		"Use the blue bin for paper and the yellow bin for plastic. Glass must be brought to the container at the corner of Mill Street.",
		"Write to billing@example.com to change your tax number. Invoices that were issued before cannot be changed.",
		"Keep your ticket until you leave the station; inspectors will ask for it. Travelling without one costs 60 euros.",
		"Visitors must wear a badge at all times. Please return it to the reception desk before 18:00.",
		"Members should cancel a class at least four hours before it starts. You will otherwise be charged 8 euros.",
		"The router's light must be green. If it blinks red, restart the router and wait for two minutes; if it stays red, call us.",
		"Bookings of more than eight people have to be made by telephone. A deposit of 20 % is due when you book.",
		"Report lost cards immediately. The bank will block your card within ten minutes, and you will get a new one in three to five days.",
		"Remember to back up your data before an update. An update cannot be undone.",
	}
}

func notes() []string {
	return []string{
		"Tenants may keep one cat or dog. Larger animals need the written consent of the landlord, which you should ask for before you sign.",
		"The pool opens at 6:30 and closes at 21:00. Children under ten must always be accompanied by an adult.",
		"Provide a photo of the damage within 48 hours. Based on the photo we decide whether the item is repaired or replaced.",
		"Please be patient: a transfer to another bank takes up to two working days, and up to five to a bank abroad.",
		"Refunds: you get your money back within 14 days.\nExchanges: please use the form that came with your order.",
		"Example: if you order on Friday after 14:00, your parcel leaves the warehouse on Monday.",
		"Question the source of any unexpected e-mail. We will never ask you for your password or your PIN.",
		"Students pay 9 euros instead of 14. Show your card at the desk; copies and photos are not accepted.",
		"Your answer to the survey is anonymous. Results are published in March and kept for five years.",
		"The assistant manager approves expenses of up to 500 euros. Anything above must be signed by the director.",
		"Users with the role Viewer can read but not change dashboards. Ask an administrator if you need more rights.",
		"Engine oil must be changed every 15,000 km or once a year. Use oil of the grade 5W-30 only.",
		"Format the card in the camera, not on the computer. Formatting erases all of your pictures.",
		"Respond to the fire alarm at once: leave the building by the nearest stairs, and do not use the lift.",
		"List prices do not include VAT. Customers outside of the EU pay no VAT if they give us their number.",
		"The minimum deposit is 250 euros. Interest of 2.1 % is paid on 31 December, and you can withdraw your money at any time.",
		"When you rent a bike, you must return it to the same station by 23:59. A late bike costs 1.50 euros for every half hour.",
		"The policy covers theft only if the door was locked. You must report a theft to the police within 24 hours.",
		"Rule 7: Players may not leave the field without the permission of the referee. A player who does so gets a yellow card.",
		"Give the medicine twice a day with food. You should never give more than 40 mg a day to a child under 12.",
		"Our shop in Leeds is open from Monday to Saturday, 9:00 to 17:30. Please ring the bell at the side door.",
		"In case of a power cut, keep the freezer closed. Food stays frozen for about 18 hours.",
		"API keys expire after 90 days. You must rotate them yourself; expired keys answer with status 401.",
		"Sie müssen das Gerät vor der Reinigung immer ausschalten. Verwenden Sie bitte nur ein weiches Tuch.",
		"Die Kündigungsfrist beträgt drei Monate. Bitte senden Sie die Kündigung schriftlich an die Hausverwaltung.",
		"Vous devez valider votre billet avant de monter. Un billet validé reste valable pendant 90 minutes.",
		"Debe presentar la factura original. Nunca se aceptan devoluciones después de 30 días.",
		"Non lasciare mai la stufa accesa senza sorveglianza. Il serbatoio contiene 4,5 litri.",
		"U moet het formulier voor 1 mei inleveren. Te late aanvragen worden niet behandeld.",
		"The return label must be printed on white paper. Attach it to the box, remove old labels, and bring the box to any post office.",
		"You need two documents to open an account: your passport, and a bill that is no older than three months.",
		"Please note: parking is free for the first two hours. After that you pay 2.50 euros an hour, and never more than 18 euros a day.",
		"Speak to a nurse before you stop taking the tablets. Always tell the doctor about other medicines that you use.",
	}
}
