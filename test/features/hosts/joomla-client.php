<?php

declare(strict_types=1);

/*
 * A client of the contract that behaves as Joomla Component Builder does with either transport of Joomla's HTTP
 * package: `php joomla-client.php curl|stream URL` prints what it makes of the answer. Only 200 counts as an answer, a
 * body with `error` is none, and the status of the stream transport is that of the first header line of all: PHP puts
 * the headers of a redirect and of what follows it into one list.
 */

/** @return array{int, string, string} The status, the type and the body. */
function askWithCurl(string $url): array
{
    $handle = curl_init($url);
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_FOLLOWLOCATION => true]);
    $body = curl_exec($handle);
    if ($body === false) {
        throw new RuntimeException(curl_error($handle));
    }
    return [
        curl_getinfo($handle, CURLINFO_RESPONSE_CODE),
        (string) curl_getinfo($handle, CURLINFO_CONTENT_TYPE),
        $body,
    ];
}

/** @return array{int, string, string} The status, the type and the body. */
function askWithStream(string $url): array
{
    $context = stream_context_create(['http' => ['method' => 'GET', 'ignore_errors' => true, 'follow_location' => 1]]);
    $stream = fopen($url, 'r', false, $context);
    if ($stream === false) {
        throw new RuntimeException("$url gave no answer");
    }
    $body = (string) stream_get_contents($stream);
    $lines = stream_get_meta_data($stream)['wrapper_data'];
    fclose($stream);
    preg_match('/ (\d{3})/', array_shift($lines), $status);
    $headers = [];
    foreach ($lines as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = trim($value);
    }
    return [(int) $status[1], $headers['content-type'] ?? '', $body];
}

[, $transport, $url] = $argv;
[$status, $type, $body] = $transport === 'curl' ? askWithCurl($url) : askWithStream($url);
$document = json_decode($body);
$error = $document->error ?? $document->message ?? null;
$network = $document->network ?? null;
$urls = $status === 200 && $error === null && is_array($network) ? array_column($network, 'url') : null;

echo json_encode(['status' => $status, 'type' => $type, 'error' => $error, 'urls' => $urls], JSON_THROW_ON_ERROR);
