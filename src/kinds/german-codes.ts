/** The German sentence for each key that `reasonKey` returns. */
export const germanCodes: Readonly<Partial<Record<string, string>>> = {
  ok: "Der Spiegel antwortete wie erwartet.",
  dns: "Sein Name konnte nicht aufgelöst werden.",
  refused: "Er lehnte die Verbindung ab.",
  unreachable: "Es gibt keine Route zu ihm.",
  no_route:
    "Er ist nur über eine IP-Version erreichbar, die dem Prüfer fehlt, und wurde daher nicht geprüft.",
  reset: "Er brach die Verbindung ab.",
  timeout: "Er antwortete nicht rechtzeitig.",
  tls: "Sein Zertifikat oder seine TLS-Verbindung wurde nicht akzeptiert.",
  redirect: "Er leitet auf eine Weise weiter, der mirrorfeed nicht folgt.",
  http_status: "Er antwortete mit einem HTTP-Fehler.",
  rate_limited: "Er meldete zu viele Anfragen; das spricht nicht gegen ihn.",
  captive_portal:
    "Das Netz des Prüfers verlangt eine Anmeldung, statt die Anfrage weiterzugeben; das spricht nicht gegen den Spiegel.",
  auth: "Er verlangt Zugangsdaten: Das Repository ist privat oder gelöscht.",
  not_http: "Seine Antwort ist kein gültiges HTTP.",
  too_large: "Seine Antwort ist zu groß.",
  blocked_address: "Seine Adresse ist privat, und private Adressen werden nicht geprüft.",
  not_git: "Er antwortete nicht wie ein Git-Repository.",
  wrong_content: "Seine Antwort hat nicht den erwarteten Inhalt.",
  not_apt: "Seine Antwort ist keine Release-Datei von apt.",
  bad_signature: "Seine Release-Datei ist mit keinem Schlüssel des Schlüsselbunds signiert.",
  not_pacman: "Er antwortete nicht wie ein pacman-Spiegel.",
  not_rpm: "Er antwortete nicht wie ein RPM-Repository.",
  missing_file: "Eine Datei aus seinem Index fehlt.",
  wrong_size:
    "Eine Datei hat die falsche Größe: Sie wurde unvollständig kopiert, oder er sendet stattdessen eine Fehlerseite.",
  half_synced: "Sein Index nennt Inhalte, die er nicht hat: Die letzte Synchronisierung wurde abgebrochen.",
  expired: "Sein Index ist abgelaufen: Er wird nicht mehr aktualisiert.",
  no_fetch: "Er listet seine Zweige auf, liefert sie aber nicht.",
  behind: "Sein Inhalt ist älter, als der Betreiber erlaubt.",
  differs: "Sein Inhalt stimmt nicht mit dem der Referenz überein.",
  "timeout resolve": "Sein Name wurde nicht rechtzeitig aufgelöst.",
  "timeout connect": "Er nahm die Verbindung nicht rechtzeitig an.",
  "timeout tls": "Er schloss den TLS-Handshake nicht rechtzeitig ab.",
  "timeout wait": "Er nahm die Verbindung an, antwortete aber nicht rechtzeitig.",
  "timeout body": "Er begann seine Antwort, beendete sie aber nicht rechtzeitig.",
  "reset tls": "Er brach die Verbindung während des TLS-Handshakes ab.",
  "reset wait": "Er brach die Verbindung ab, bevor er antwortete.",
  "reset body": "Er brach die Verbindung mitten in der Antwort ab.",
  "tls CERT_HAS_EXPIRED": "Sein Zertifikat ist abgelaufen.",
  "tls CERT_NOT_YET_VALID": "Sein Zertifikat ist noch nicht gültig.",
  "tls ERR_TLS_CERT_ALTNAME_INVALID": "Sein Zertifikat gilt für einen anderen Namen.",
  "tls HOSTNAME_MISMATCH": "Sein Zertifikat gilt für einen anderen Namen.",
  "tls DEPTH_ZERO_SELF_SIGNED_CERT": "Sein Zertifikat ist selbst signiert.",
  "tls SELF_SIGNED_CERT_IN_CHAIN":
    "Sein Zertifikat stammt von einer nicht vertrauenswürdigen Zertifizierungsstelle.",
  "tls UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    "Sein Zertifikat stammt von einer unbekannten Zertifizierungsstelle.",
  "tls UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    "Er sendet die Zwischenzertifikate nicht, die zu einer bekannten Zertifizierungsstelle führen.",
  "tls CERT_REVOKED": "Sein Zertifikat wurde widerrufen.",
};

/** The German title for each `usage` of a kind or list. The keys are the English titles. */
export const germanUses: Readonly<Partial<Record<string, string>>> = {
  "Clone from the best mirror": "Vom besten Spiegel klonen",
  "Make a clone use the best mirror": "Einen Klon auf den besten Spiegel umstellen",
  "Add to apt's sources.list": "In die sources.list von apt eintragen",
  "Update pacman's mirror list": "Die Spiegelliste von pacman aktualisieren",
  "Update pacman's mirror list with reflector": "Die Spiegelliste von pacman mit reflector aktualisieren",
  "Add to a dnf repository file": "In eine Repository-Datei von dnf eintragen",
  "Download from the best mirrors and verify": "Von den besten Spiegeln herunterladen und prüfen",
};
