using System.Buffers.Text;
using System.Diagnostics;
using System.Text;
using Jackdaw.Etl.Messages;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Transforming;

/// <summary>
/// Documents that a script is run on in one call of the engine, and the lines in which the prelude (transform.js) tells what it
/// made of them. What a document is to be
/// refused or told is never decided here: it is then run by itself, so that it fails, or not, as it would alone.
/// </summary>
/// <param name="boundTargets">See <see cref="TransformScript.BoundTargets"/>.</param>
/// <param name="mostDocuments">Documents of a call; 1: each has one to itself.</param>
internal sealed class SharedCall(IReadOnlyList<string> boundTargets, int mostDocuments)
{
    /// <summary>UTF-16 units of a call's documents, but for a single one.</summary>
    private const int MostCharacters = 64 << 10;

    private const byte EndOfDocument = (byte)'.';
    private const byte NeedsOwnCall = (byte)'!';
    private const byte NamedTarget = (byte)'"';
    private const byte RoutingKey = (byte)'=';
    private const byte Attributes = (byte)':';

    private readonly JoinedTexts _texts = new();
    private readonly List<ChangeOrigin> _origins = [];
    private byte[] _lines = [];
    private byte[] _namedTarget = [];
    private string _name = "";
    private int _next;
    private int _at;
    private int _length;
    private bool _isSeparated;

    /// <summary>Documents whose outcome was not taken yet.</summary>
    public int Count => _origins.Count - _next;

    /// <summary>How many documents it should have.</summary>
    public CallSize Size { get; } = new(mostDocuments);

    /// <summary>What was made of the next one is there, or that it has to be run by itself.</summary>
    public bool IsNextTold => _at < _length;

    /// <summary>What was made of the next one is there.</summary>
    public bool IsNextMade => _at < _length && _lines[_at] != NeedsOwnCall;

    /// <summary>The script was not run on the next one, and it can be together with those behind it.</summary>
    public bool IsNextOpen => _at == _length && !_isSeparated;

    /// <summary>The change whose outcome comes next.</summary>
    public ChangeOrigin Next => _origins[_next];

    /// <summary>Whether a document of so many bytes can go with those that are there.</summary>
    public bool HasRoomFor(int bytes) =>
        _origins.Count == 0 || (_origins.Count < Size.Documents && _texts.Length + (long)bytes <= MostCharacters);

    /// <param name="origin">The change.</param>
    /// <param name="id">Of the document, in UTF-8.</param>
    /// <param name="body">Its JSON; copied.</param>
    public void Add(ChangeOrigin origin, ReadOnlySpan<byte> id, ReadOnlySpan<byte> body)
    {
        Invariant.Require(_next == 0 && _length == 0);
        _origins.Add(origin);
        _texts.Add(id);
        _texts.AddJson(body);
    }

    /// <summary>
    /// Runs the script on those that are left, up to one that has to be run by itself. Throws what
    /// <see cref="ScriptContext.TryCall(ScriptLimits, object?, out ReadOnlySpan{byte}, JoinedTexts, int)"/> does.
    /// </summary>
    public void Run(ScriptContext context, ScriptLimits limits, TransformCall call)
    {
        Invariant.Require(Count > 0 && IsNextOpen);
        long began = Stopwatch.GetTimestamp();
        Invariant.Require(context.TryCall(limits, call, out var lines, _texts, 2 * _next));
        if (_lines.Length < lines.Length)
            _lines = new byte[Math.Max(lines.Length, 2 * _lines.Length)];
        lines.CopyTo(_lines);
        _at = 0;
        _length = lines.Length;
        if (lines[(lines.LastIndexOf((byte)'\n') + 1)..][0] != NeedsOwnCall)
            Size.Ran(Count, Stopwatch.GetElapsedTime(began));
    }

    /// <summary>Those that are left have met a limit together: each is to be run by itself.</summary>
    public void Separate()
    {
        Invariant.Require(_at == _length);
        _isSeparated = true;
        Size.Reset();
    }

    /// <summary>Makes the messages of the next one. False when it has to be run by itself.</summary>
    public bool TryMake(TransformCall call)
    {
        if (!IsNextMade)
        {
            // Behind one that needs a call of its own none was run.
            _at = _length = 0;
            return false;
        }
        call.Begin(Next);
        bool isMade = true;
        while (true)
        {
            var line = ReadLine();
            if (line[0] == EndOfDocument)
                break;
            var target = line;
            string? routingKey = null;
            string? attributes = null;
            for (line = ReadLine(); line[0] is RoutingKey or Attributes; line = ReadLine())
            {
                if (line[0] == RoutingKey)
                    routingKey = Encoding.UTF8.GetString(line[1..]);
                else
                    attributes = Encoding.UTF8.GetString(line[1..]);
            }
            isMade = isMade && TrySend(call, Target(target), routingKey, attributes, line);
        }
        return isMade;
    }

    /// <summary>The outcome of the next one is taken.</summary>
    public void MoveNext()
    {
        _next++;
        if (Count == 0)
            Clear();
    }

    public void Clear()
    {
        _origins.Clear();
        _texts.Clear();
        _next = _at = _length = 0;
        _isSeparated = false;
    }

    private static bool TrySend(TransformCall call, string target, string? routingKey, string? attributes, ReadOnlySpan<byte> data)
    {
        try
        {
            call.Send(target, routingKey, attributes, data.ToArray());
            return true;
        }
        catch (ScriptCallbackException)
        {
            // It would have been thrown into the script, which could have caught it: so it will be.
            return false;
        }
    }

    private string Target(ReadOnlySpan<byte> line)
    {
        if (line[0] != NamedTarget)
        {
            Invariant.Require(Utf8Parser.TryParse(line, out int number, out int consumed) && consumed == line.Length);
            return boundTargets[number];
        }
        // Scripts that name their target tend to name the same one.
        if (!line.SequenceEqual(_namedTarget))
        {
            _namedTarget = line.ToArray();
            _name = Encoding.UTF8.GetString(line[1..]);
        }
        return _name;
    }

    private ReadOnlySpan<byte> ReadLine()
    {
        Invariant.Require(_at < _length);
        var rest = _lines.AsSpan(_at, _length - _at);
        int end = rest.IndexOf((byte)'\n');
        if (end < 0)
            end = rest.Length;
        _at = Math.Min(_length, _at + end + 1);
        Invariant.Require(end > 0);
        return rest[..end];
    }
}
