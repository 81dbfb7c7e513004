using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting.Machines;

/// <summary>
/// A heap of the engine with the contexts in it: at most one thread is inside at a time. A call that was ended at its time limit
/// leaves it broken: it is
/// thrown away with everything in it.
/// </summary>
internal sealed unsafe class ScriptMachine : IDisposable
{
    /// <summary>Bytes that have passed through, or time of a call, after which the heap is looked at. Looking walks the heap.</summary>
    private const long BytesBetweenChecks = 32 << 20;

    private const int CallsBetweenChecks = 20_000;

    /// <summary>Contexts given up before their memory, about half a megabyte each, is collected: the engine itself would wait for
    /// gigabytes on a large machine.</summary>
    private const int ContextsBetweenCollections = 32;

    private static readonly TimeSpan s_longCall = TimeSpan.FromMilliseconds(10);

    private readonly int _maxContexts;
    private readonly Dictionary<Script, LinkedListNode<(Script Script, ScriptRealm Realm)>> _realms = [];
    private readonly LinkedList<(Script Script, ScriptRealm Realm)> _byUse = new();
    private readonly nint _group;
    private readonly int* _terminations;
    private TimeSpan _timeLimit;
    private long _bytesSinceCheck;
    private int _callsSinceCheck;
    private int _contextsSinceCollection;
    private bool _isDisposed;

    public ScriptMachine(int maxContexts)
    {
        _maxContexts = maxContexts;
        _group = JavaScriptCore.JSContextGroupCreate();
        _terminations = (int*)NativeMemory.AllocZeroed(sizeof(int));
    }

    /// <summary>The thread that used it last: staying with it spares the collector from stopping others to look at their stacks.</summary>
    public int LastThreadId { get; set; }

    /// <summary>It must not be used again.</summary>
    public bool IsBroken { get; private set; }

    /// <summary>Whether the call that just ended was ended by its time limit.</summary>
    public bool WasTerminated => *_terminations != 0;

    public bool Has(Script script) => _realms.ContainsKey(script);

    public ScriptRealm Realm(Script script)
    {
        if (_realms.TryGetValue(script, out var found))
        {
            _byUse.Remove(found);
            _byUse.AddFirst(found);
            return found.Value.Realm;
        }
        while (_realms.Count >= _maxContexts)
        {
            var oldest = _byUse.Last!;
            _byUse.RemoveLast();
            _realms.Remove(oldest.Value.Script);
            oldest.Value.Realm.Dispose();
            _contextsSinceCollection++;
        }
        // What is ours runs for as long as it takes; a first start reads the library from disk.
        BeginCall(TimeSpan.FromSeconds(30));
        // One that does not compile is a context made and given up.
        _contextsSinceCollection++;
        var realm = new ScriptRealm(this, _group, script);
        _contextsSinceCollection--;
        _realms.Add(script, _byUse.AddFirst((script, realm)));
        if (_contextsSinceCollection >= ContextsBetweenCollections)
        {
            _contextsSinceCollection = 0;
            JavaScriptCore.JSSynchronousGarbageCollectForDebugging(realm.Context);
        }
        return realm;
    }

    /// <summary>Sets the clock for a call.</summary>
    public void BeginCall(TimeSpan limit)
    {
        *_terminations = 0;
        if (_timeLimit == limit)
            return;
        _timeLimit = limit;
        JavaScriptCore.JSContextGroupSetExecutionTimeLimit(_group, limit.TotalSeconds, &Terminate, (nint)_terminations);
    }

    /// <summary>Counts a call, and looks after the memory where there is reason to.</summary>
    public void EndCall(nint context, long bytes, long startedAt, ScriptLimits limits)
    {
        if (WasTerminated)
        {
            IsBroken = true;
            return;
        }
        _bytesSinceCheck += bytes;
        if (
            ++_callsSinceCheck < CallsBetweenChecks
            && _bytesSinceCheck < BytesBetweenChecks
            && Stopwatch.GetElapsedTime(startedAt) < s_longCall
        )
            return;
        _callsSinceCheck = 0;
        _bytesSinceCheck = 0;
        if (HeapBytes(context) <= limits.MaxHeapBytes)
            return;
        JavaScriptCore.JSSynchronousGarbageCollectForDebugging(context);
        if (HeapBytes(context) > limits.MaxHeapBytes)
            IsBroken = true;
    }

    public void Break() => IsBroken = true;

    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        foreach (var (_, realm) in _byUse)
            realm.Dispose();
        JavaScriptCore.JSContextGroupRelease(_group);
        NativeMemory.Free(_terminations);
    }

    /// <summary>What the heap has from the system, and what its texts have.</summary>
    internal static long HeapBytes(nint context)
    {
        var statistics = JavaScriptCore.JSGetMemoryUsageStatistics(context);
        return (long)(Number(context, statistics, "heapCapacity") + Number(context, statistics, "extraMemorySize"));
    }

    private static double Number(nint context, nint statistics, string name)
    {
        var text = NativeText.Create(name);
        var value = JavaScriptCore.JSObjectGetProperty(context, statistics, text, out _);
        JavaScriptCore.JSStringRelease(text);
        return JavaScriptCore.JSValueToNumber(context, value, out _);
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static byte Terminate(nint context, nint state)
    {
        *(int*)state = 1;
        return 1;
    }
}
