using System.Globalization;

namespace Jackdaw.Server.Http;

/// <summary>
/// The query string of one request, parsed tolerantly: <c>?&amp;id=1</c>, a bare <c>?</c> and flags without a value are usual.
/// Names are compared without case, a repeated name is a list, values are percent-decoded when asked for. Reused from request to request.
/// </summary>
internal sealed class QueryParameters
{
    private readonly List<(Range Name, Range Value)> _parts = [];
    private string _text = "";

    public void Reset(string queryString)
    {
        _text = queryString;
        _parts.Clear();
        var start = queryString.StartsWith('?') ? 1 : 0;
        while (start < queryString.Length)
        {
            var end = queryString.IndexOf('&', start);
            if (end < 0)
                end = queryString.Length;
            if (end > start)
            {
                var equals = queryString.IndexOf('=', start, end - start);
                _parts.Add(equals < 0 ? (start..end, end..end) : (start..equals, (equals + 1)..end));
            }
            start = end + 1;
        }
    }

    /// <summary>The decoded first value; "" for a flag without one; null when the name is absent.</summary>
    public string? this[string name]
    {
        get
        {
            foreach (var (key, value) in _parts)
                if (Matches(key, name))
                    return Decode(_text.AsSpan()[value]);
            return null;
        }
    }

    /// <summary>All decoded values of a repeated name, in order.</summary>
    public List<string> All(string name)
    {
        var values = new List<string>();
        foreach (var (key, value) in _parts)
            if (Matches(key, name))
                values.Add(Decode(_text.AsSpan()[value]));
        return values;
    }

    /// <summary>How many <c>name=value</c> parts there are.</summary>
    public int PartCount => _parts.Count;

    /// <summary>How often a name occurs, without decoding anything.</summary>
    public int Count(string name)
    {
        var count = 0;
        foreach (var (key, _) in _parts)
            if (Matches(key, name))
                count++;
        return count;
    }

    public bool Has(string name) => Count(name) > 0;

    /// <summary>True for a bare flag and for <c>true</c>; false when absent or <c>false</c>.</summary>
    public bool Flag(string name)
    {
        var text = this[name];
        return text switch
        {
            null => false,
            "" => true,
            _ when bool.TryParse(text, out var value) => value,
            _ => throw new BadRequestException($"The parameter '{name}' must be true or false, not '{text}'."),
        };
    }

    /// <summary>A whole number of at least 0; <paramref name="otherwise"/> when absent or empty.</summary>
    public long NonNegative(string name, long otherwise)
    {
        var text = this[name];
        if (string.IsNullOrEmpty(text))
            return otherwise;
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value))
            throw new BadRequestException($"The parameter '{name}' must be a whole number, not '{text}'.");
        if (value < 0)
            throw new BadRequestException($"The parameter '{name}' must not be negative, but is {value}.");
        return value;
    }

    /// <summary>The value, which must be there and not empty.</summary>
    public string Required(string name) =>
        this[name] is { Length: > 0 } value ? value : throw new BadRequestException($"The parameter '{name}' is missing.");

    private bool Matches(Range key, string name)
    {
        var text = _text.AsSpan()[key];
        if (text.Length == name.Length)
            return text.Equals(name, StringComparison.OrdinalIgnoreCase);
        return text.Length > name.Length && text.Contains('%') && Decode(text).Equals(name, StringComparison.OrdinalIgnoreCase);
    }

    private static string Decode(ReadOnlySpan<char> text)
    {
        if (text.IndexOfAny('%', '+') < 0)
            return text.ToString();
        var spaced = text.Contains('+') ? text.ToString().Replace('+', ' ') : text.ToString();
        return Uri.UnescapeDataString(spaced);
    }
}
