using System.Buffers;
using Jackdaw.Server.Http;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.BulkInsert;

/// <summary>
/// Finds the objects of a JSON array that arrives in arbitrary pieces over minutes, without understanding them: it follows
/// strings, escapes and
/// nesting only. The objects' bytes are gathered back to back; what they mean is parsed when they are handed on.
/// </summary>
internal sealed class BulkInsertScanner : IDisposable
{
    private static readonly SearchValues<byte> InString = SearchValues.Create("\"\\"u8);
    private static readonly SearchValues<byte> OutsideString = SearchValues.Create("\"{}[]"u8);

    private readonly int _maxObjectBytes;
    private readonly List<Range> _objects = [];
    private byte[] _bytes = [];
    private int _length;
    private int _objectStart;
    private int _depth;
    private bool _inString;
    private bool _escaped;
    private State _state;

    /// <param name="maxObjectBytes">A larger object is refused.</param>
    public BulkInsertScanner(int maxObjectBytes) => _maxObjectBytes = maxObjectBytes;

    private enum State
    {
        BeforeArray,
        BeforeFirstObject,
        BeforeObject,
        InObject,
        AfterObject,
        AfterArray,
    }

    /// <summary>Whole objects since the last <see cref="Take"/>.</summary>
    public int ObjectCount => _objects.Count;

    /// <summary>Bytes of whole objects since the last <see cref="Take"/>.</summary>
    public int ObjectBytes => _state == State.InObject ? _objectStart : _length;

    /// <summary>True once the array's end was seen.</summary>
    public bool IsEnded => _state == State.AfterArray;

    /// <summary>Takes in bytes until the pending objects reach <paramref name="enoughBytes"/>; returns how many were taken in.</summary>
    /// <exception cref="BadRequestException">This is no array of objects.</exception>
    public int Feed(ReadOnlySpan<byte> bytes, int enoughBytes)
    {
        var at = 0;
        while (at < bytes.Length && ObjectBytes < enoughBytes)
            at += _state == State.InObject ? FeedObject(bytes[at..]) : FeedBetween(bytes[at..]);
        return at;
    }

    /// <summary>
    /// Hands over the whole objects, in a pooled array that the taker gives back. An object that is still coming in stays.
    /// </summary>
    public (byte[] Bytes, Range[] Objects) Take()
    {
        var taken = (_bytes, _objects.ToArray());
        var rest = _state == State.InObject ? _bytes.AsSpan(_objectStart, _length - _objectStart) : [];
        _bytes = BytePool.Requests.Rent(Math.Max(rest.Length, 64 * 1024));
        rest.CopyTo(_bytes);
        _length = rest.Length;
        _objectStart = 0;
        _objects.Clear();
        return taken;
    }

    public void Dispose()
    {
        if (_bytes.Length > 0)
            BytePool.Requests.Return(_bytes);
        _bytes = [];
    }

    private int FeedBetween(ReadOnlySpan<byte> bytes)
    {
        var one = bytes[0];
        if (one is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n')
            return 1;
        switch (_state, (char)one)
        {
            case (State.BeforeArray, '['):
                _state = State.BeforeFirstObject;
                return 1;
            case (State.BeforeArray, '\uFEFF'):
                return 1;
            case (State.BeforeFirstObject or State.AfterObject, ']'):
                _state = State.AfterArray;
                return 1;
            case (State.AfterObject, ','):
                _state = State.BeforeObject;
                return 1;
            case (State.BeforeFirstObject or State.BeforeObject, '{'):
                _state = State.InObject;
                _objectStart = _length;
                _depth = 0;
                return 0;
            case (State.AfterArray, _):
                throw new BadRequestException("Something follows the end of the bulk insert's array.");
            default:
                throw new BadRequestException($"A bulk insert is a JSON array of objects; found byte 0x{one:X2} {Describe(_state)}.");
        }
    }

    private int FeedObject(ReadOnlySpan<byte> bytes)
    {
        var at = 0;
        while (at < bytes.Length)
        {
            if (_escaped)
            {
                _escaped = false;
                at++;
                continue;
            }
            var next = bytes[at..].IndexOfAny(_inString ? InString : OutsideString);
            if (next < 0)
            {
                at = bytes.Length;
                break;
            }
            at += next + 1;
            if (Follow(bytes[at - 1]))
            {
                Append(bytes[..at]);
                _objects.Add(_objectStart.._length);
                _state = State.AfterObject;
                return at;
            }
        }
        Append(bytes[..at]);
        return at;
    }

    /// <summary>Follows one significant byte; true when it ends the object.</summary>
    private bool Follow(byte one)
    {
        switch ((char)one)
        {
            case '"':
                _inString = !_inString;
                break;
            case '\\':
                _escaped = true;
                break;
            case '{' or '[':
                _depth++;
                break;
            default:
                _depth--;
                break;
        }
        return _depth == 0 && !_inString && !_escaped;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        if (_length - _objectStart + bytes.Length > _maxObjectBytes)
            throw new Jackdaw.Documents.Errors.TooLargeException(
                "A document of the bulk insert",
                _length - _objectStart + bytes.Length,
                _maxObjectBytes,
                Configuration.KnownSettings.MaxDocumentMb
            );
        if (_bytes.Length - _length < bytes.Length)
        {
            var larger = BytePool.Requests.Rent(
                Math.Max(_length + bytes.Length, Math.Max(64 * 1024, (int)Math.Min(2L * _bytes.Length, Array.MaxLength)))
            );
            _bytes.AsSpan(0, _length).CopyTo(larger);
            if (_bytes.Length > 0)
                BytePool.Requests.Return(_bytes);
            _bytes = larger;
        }
        bytes.CopyTo(_bytes.AsSpan(_length));
        _length += bytes.Length;
    }

    private static string Describe(State state) =>
        state switch
        {
            State.BeforeArray => "where '[' begins it",
            State.AfterObject => "where ',' or ']' follows an object",
            _ => "where an object begins",
        };
}
