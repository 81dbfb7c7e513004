using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>Who has seen what: the name of a projection, and a version that an operator raises to build everything anew.</summary>
public sealed record Consumer
{
    private const int MaxNameLength = 100;

    /// <summary>Creates it. The name takes letters, digits and hyphens, 100 at most.</summary>
    public Consumer(string name, int version)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentOutOfRangeException.ThrowIfLessThan(version, 1);
        if (name.Length > MaxNameLength || !name.All(c => char.IsAsciiLetterOrDigit(c) || c == '-'))
            throw new ArgumentException(
                $"'{name}' is no name of a consumer: letters, digits, hyphens, {MaxNameLength} at most.",
                nameof(name)
            );
        Name = name;
        Version = version;
    }

    /// <summary>Part of the markers' ids.</summary>
    public string Name { get; }

    /// <summary>From 1.</summary>
    public int Version { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Name}/{Version}");

    /// <summary>The marker of a document. Documents whose ids differ in casing are one document, so they have one marker.</summary>
    public string MarkerOfDocument(string id) => Marker("d", Lower(id));

    /// <summary>The marker of an event stream. Streams whose ids differ in casing are two streams, and documents' ids do not tell them
    /// apart: the exact bytes are hashed.</summary>
    public string MarkerOfStream(string stream) => Marker("s", stream);

    /// <summary>Hashes the exact bytes of a text: 64 hexadecimal digits.</summary>
    public static string Hash(string text) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)));

    private string Marker(string kind, string source) => $"function-markers/{this}/{Hash($"{kind}\n{source}")}";

    /// <summary>As the server lowers ids: letter by letter, by Unicode's simple mapping.</summary>
    private static string Lower(string id)
    {
        if (Ascii.IsValid(id))
            return id.ToLowerInvariant();
        var lower = new StringBuilder(id.Length);
        foreach (var rune in id.EnumerateRunes())
            lower.Append(Rune.ToLowerInvariant(rune).ToString());
        return lower.ToString();
    }
}
