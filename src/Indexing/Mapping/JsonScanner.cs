using System.Buffers;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Mapping;

/// <summary>
/// A forward scan over the JSON of a stored document that passes over unwanted values without looking into them: the next quote or bracket
/// is found by vectors. Stored JSON was checked when it was written, so the scanner checks only what it must to find its way; whatever the
/// bytes are, it stays within them. Errors: a <see cref="JsonException"/> where it cannot go on.
/// </summary>
internal ref struct JsonScanner(ReadOnlySpan<byte> json)
{
    private const int MaxDepth = Limits.MaxJsonDepth + 1;

    private static readonly SearchValues<byte> s_nesting = SearchValues.Create("\"{}[]"u8);

    private readonly ReadOnlySpan<byte> _json = json;
    private int _depth;

    /// <summary>The next byte's place; between calls of the scanner's user, behind the token read last.</summary>
    public int Position { get; private set; }

    /// <summary>Bytes from a place up to the current one.</summary>
    public readonly ReadOnlySpan<byte> Since(int start) => _json[start..Position];

    /// <summary>The first byte of the next token, which is not passed.</summary>
    public byte Peek()
    {
        while ((uint)Position < (uint)_json.Length)
        {
            byte next = _json[Position];
            if (next > ' ')
                return next;
            Position++;
        }
        throw Broken();
    }

    /// <summary>Passes the bracket that opens an object or an array. Returns whether something is inside; when nothing is, the closing
    /// bracket is passed too.</summary>
    /// <param name="close">The bracket that closes it.</param>
    public bool Enter(byte close)
    {
        if (++_depth > MaxDepth)
            throw Broken();
        Position++;
        if (Peek() != close)
            return true;
        Leave();
        return false;
    }

    /// <summary>Behind a member or an element: passes the comma and returns true, or the closing bracket and returns false.</summary>
    /// <param name="close">The bracket that closes the object or the array.</param>
    public bool GoesOn(byte close)
    {
        byte next = Peek();
        if (next == close)
        {
            Leave();
            return false;
        }
        if (next != ',')
            throw Broken();
        Position++;
        return true;
    }

    /// <summary>Passes the quote with which a member's name begins.</summary>
    public void BeginName()
    {
        if (Peek() != '"')
            throw Broken();
        Position++;
    }

    /// <summary>Stands behind a name's first quote. Passes the name, its second quote and the colon, if the name is this one and has no
    /// escapes.</summary>
    /// <param name="quoted">A name without bytes that JSON escapes, and the quote behind it.</param>
    public bool TryPassName(ReadOnlySpan<byte> quoted)
    {
        if (!_json[Position..].StartsWith(quoted))
            return false;
        Position += quoted.Length;
        PassColon();
        return true;
    }

    /// <summary>Stands behind a name's first quote. Passes the name, its second quote and the colon; returns what is between the quotes,
    /// as it is.</summary>
    public ReadOnlySpan<byte> ReadName(out bool isEscaped)
    {
        int start = Position;
        isEscaped = PassStringRest();
        var name = _json[start..(Position - 1)];
        PassColon();
        return name;
    }

    /// <summary>Stands on a string's first quote. Passes the string; returns what is between the quotes, as it is.</summary>
    public ReadOnlySpan<byte> ReadString(out bool isEscaped)
    {
        int start = ++Position;
        isEscaped = PassStringRest();
        return _json[start..(Position - 1)];
    }

    /// <summary>Stands on the first byte of a number, <c>true</c>, <c>false</c> or <c>null</c>. Passes it and returns it.</summary>
    public ReadOnlySpan<byte> ReadLiteral()
    {
        int start = Position;
        while ((uint)Position < (uint)_json.Length && _json[Position] is > (byte)' ' and not ((byte)',' or (byte)'}' or (byte)']'))
            Position++;
        if (Position == start)
            throw Broken();
        return _json[start..Position];
    }

    /// <summary>Passes the next value, whatever it is.</summary>
    public void PassValue()
    {
        switch (Peek())
        {
            case (byte)'"':
                Position++;
                PassStringRest();
                break;
            case (byte)'{' or (byte)'[':
                PassNested();
                break;
            default:
                ReadLiteral();
                break;
        }
    }

    private void PassNested()
    {
        int open = 0;
        do
        {
            int next = _json[Position..].IndexOfAny(s_nesting);
            if (next < 0)
                throw Broken();
            Position += next + 1;
            switch (_json[Position - 1])
            {
                case (byte)'"':
                    PassStringRest();
                    break;
                case (byte)'{' or (byte)'[':
                    open++;
                    break;
                default:
                    open--;
                    break;
            }
        } while (open > 0);
    }

    /// <summary>Passes what is left of a string, its second quote included. Returns whether it has escapes.</summary>
    private bool PassStringRest()
    {
        bool isEscaped = false;
        while (true)
        {
            int next = _json[Position..].IndexOfAny((byte)'"', (byte)'\\');
            if (next < 0)
                throw Broken();
            Position += next + 1;
            if (_json[Position - 1] == '"')
                return isEscaped;
            isEscaped = true;
            // The escaped byte may be a quote.
            if (++Position > _json.Length)
                throw Broken();
        }
    }

    private void PassColon()
    {
        if (Peek() != ':')
            throw Broken();
        Position++;
    }

    private void Leave()
    {
        Position++;
        _depth--;
        Invariant.Require(_depth >= 0);
    }

    private readonly JsonException Broken() => new($"It is malformed, or nests deeper than {MaxDepth} levels, at byte {Position}.");
}
