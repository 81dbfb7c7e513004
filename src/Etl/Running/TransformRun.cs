using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Transforming;

namespace Jackdaw.Etl.Running;

/// <summary>A transform of a running task: its script and how far it is. Changed by the task's loop only.</summary>
internal sealed class TransformRun
{
    private long _position;
    private TransformScript? _script;

    public TransformRun(int index, TransformConfiguration configuration, EventNaming naming)
    {
        Index = index;
        Configuration = configuration;
        Naming = naming;
    }

    /// <summary>Among the task's transforms that run, from 0.</summary>
    public int Index { get; }

    public TransformConfiguration Configuration { get; }

    /// <summary>Set before anything is read.</summary>
    public TransformScript Script
    {
        get => _script ?? throw new InvalidOperationException("The script is not compiled yet.");
        set => _script = value;
    }

    public EventNaming Naming { get; }

    /// <summary>Its documents that share a call of the engine.</summary>
    public SharedCall? Shared { get; set; }

    /// <summary>Everything up to this etag is settled. Readable from any thread.</summary>
    public long Position
    {
        get => Volatile.Read(ref _position);
        set => Volatile.Write(ref _position, value);
    }

    /// <summary>Since when its changes wait.</summary>
    public WaitingSince Waits { get; } = new();

    /// <summary>Changes up to it were read; at or above <see cref="Position"/>.</summary>
    public long ReadTo { get; set; }

    /// <summary>It goes on from here, and what was read behind it is forgotten.</summary>
    public void PlaceAt(long etag)
    {
        Position = etag;
        ReadTo = etag;
        Waits.Keep(etag);
    }

    /// <summary>The position that is durable.</summary>
    public long StoredPosition { get; set; }

    /// <summary>Where a sink keeps the positions: the database's copy of it.</summary>
    public long CopiedPosition { get; set; }

    /// <summary>Timestamp of the clock when the database stored it.</summary>
    public long StoredAt { get; set; }
}
