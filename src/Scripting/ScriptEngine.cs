using System.Text.RegularExpressions;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Machines;
using Jackdaw.Scripting.Native;
using Jackdaw.Scripting.Source;

namespace Jackdaw.Scripting;

/// <summary>
/// Compiles scripts and lends their contexts. One a process is enough. Thread-safe. Without JavaScriptCore on the machine it can
/// be made, and says so when asked
/// for a script.
/// </summary>
public sealed partial class ScriptEngine : IDisposable
{
    /// <summary>What one waits at once: see <see cref="ScriptEngineOptions.RentTimeout"/>.</summary>
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(500);

    private readonly ScriptEngineOptions _options;
    private readonly Lock _scriptsGate = new();
    private readonly Dictionary<ScriptKey, Script> _scripts = [];

    // A monitor: those who find no machine wait on it.
    private readonly object _gate = new();
    private readonly List<ScriptMachine> _idle = [];
    private int _machines;
    private int _leastIdle;
    private long _scriptCharacters;
    private bool _isDisposed;

    /// <summary>Creates an engine; the library is loaded with the first script.</summary>
    public ScriptEngine(ScriptEngineOptions? options = null) => _options = options ?? new ScriptEngineOptions();

    /// <summary>Why no script can run here, a sentence that names the package to install; null when they can. The first use loads
    /// the library.</summary>
    public static string? MissingReason => JavaScriptCoreLibrary.Failure;

    /// <summary>Machines in the world, in use or idle.</summary>
    internal int MachineCount
    {
        get
        {
            lock (_gate)
                return _machines;
        }
    }

    /// <summary>
    /// Compiles a script; the same text for the same environment gives the same object while it is remembered. Nothing of the script runs.
    /// </summary>
    /// <param name="environment">What it may see.</param>
    /// <param name="source">JavaScript, the body of a strict function.</param>
    /// <param name="parameters">Names bound at each call; identifiers.</param>
    /// <exception cref="ScriptSyntaxException">It does not compile.</exception>
    /// <exception cref="ScriptEngineMissingException">The library is not installed.</exception>
    public Script Compile(ScriptEnvironment environment, string source, params string[] parameters)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(source);
        JavaScriptCoreLibrary.Require();
        foreach (var parameter in parameters)
            if (!Identifier().IsMatch(parameter))
                throw new ArgumentException($"'{parameter}' is no identifier.", nameof(parameters));
        var key = new ScriptKey(environment, source, string.Join(',', parameters));
        lock (_scriptsGate)
            if (_scripts.TryGetValue(key, out var known))
                return known;
        if (source.Length > ScriptLimits.MaxSourceLength)
            throw new ScriptSyntaxException(
                $"The script has {source.Length:N0} characters, over the limit of {ScriptLimits.MaxSourceLength:N0} (fixed).",
                null,
                null
            );
        RefusedSyntax.Check(source);
        var script = new Script(this, environment, source, parameters);
        // Compiles it, and leaves the context where the first call finds it.
        script.Rent().Dispose();
        lock (_scriptsGate)
        {
            if (_scripts.Count >= _options.MaxRememberedScripts || _scriptCharacters + source.Length > _options.MaxRememberedCharacters)
            {
                _scripts.Clear();
                _scriptCharacters = 0;
            }
            if (!_scripts.TryAdd(key, script))
                return _scripts[key];
            _scriptCharacters += source.Length;
            return script;
        }
    }

    /// <summary>Machines that nobody uses, kept for the next script.</summary>
    public int IdleMachineCount
    {
        get
        {
            lock (_gate)
                return _idle.Count;
        }
    }

    /// <summary>Throws away the machines that were idle at every moment since the last call; returns how many. What a heap holds
    /// cannot be told
    /// without running its collector; it is bounded for each machine.</summary>
    public int TrimIdleMachines()
    {
        ScriptMachine[] unused;
        lock (_gate)
        {
            // Machines are taken by what they hold, so the number that was never needed says how many go, not which: the oldest do.
            unused = [.. _idle.Take(_leastIdle)];
            _idle.RemoveRange(0, unused.Length);
            _leastIdle = _idle.Count;
        }
        // Freeing a heap takes its time: not under the lock. Until then each counts as one.
        foreach (var machine in unused)
            machine.Dispose();
        lock (_gate)
        {
            _machines -= unused.Length;
            if (unused.Length > 0)
                Monitor.PulseAll(_gate);
        }
        return unused.Length;
    }

    /// <summary>Idle contexts are thrown away now, those in use when they come back.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            foreach (var machine in _idle)
                machine.Dispose();
            _machines -= _idle.Count;
            _idle.Clear();
            _leastIdle = 0;
            Monitor.PulseAll(_gate);
        }
    }

    internal ScriptContext Rent(Script script, bool mayWait)
    {
        var machine = mayWait ? Take(script) : TakeNow(script);
        try
        {
            machine.LastThreadId = Environment.CurrentManagedThreadId;
            return new ScriptContext(this, machine, machine.Realm(script));
        }
        catch
        {
            Return(machine);
            throw;
        }
    }

    internal void Return(ScriptMachine machine)
    {
        lock (_gate)
        {
            if (!machine.IsBroken && !_isDisposed && _idle.Count < _options.MaxIdleMachines)
            {
                _idle.Add(machine);
                Monitor.Pulse(_gate);
                return;
            }
        }
        // Freeing a heap takes its time: not under the lock.
        machine.Dispose();
        lock (_gate)
        {
            _machines--;
            Monitor.Pulse(_gate);
        }
    }

    /// <summary>For those who must not wait.</summary>
    private ScriptMachine TakeNow(Script script)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_idle.Count > 0)
                return TakeBest(script);
            if (_machines >= _options.MaxMachines + _options.ReservedMachines)
                throw new ScriptEngineBusyException(_machines, TimeSpan.Zero);
            _machines++;
        }
        return new ScriptMachine(_options.MaxContextsPerMachine);
    }

    private ScriptMachine Take(Script script)
    {
        var left = _options.RentTimeout;
        lock (_gate)
        {
            while (true)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                if (_idle.Count > 0)
                    return TakeBest(script);
                if (_machines < _options.MaxMachines)
                {
                    _machines++;
                    break;
                }
                if (left <= TimeSpan.Zero)
                    throw new ScriptEngineBusyException(_machines, _options.RentTimeout);
                left -= WaitForAMoment(left);
            }
        }
        return new ScriptMachine(_options.MaxContextsPerMachine);
    }

    /// <summary>Gives back what that took of the time that is left: no more than was asked for, however long the computer stood
    /// still meanwhile.</summary>
    private TimeSpan WaitForAMoment(TimeSpan left)
    {
        var moment = left < s_moment ? left : s_moment;
        long began = _options.Clock.GetTimestamp();
        _options.Wait(_gate, moment);
        var took = _options.Clock.GetElapsedTime(began);
        return took < moment ? took : moment;
    }

    /// <summary>One that has the script, and of those the one that this thread used last.</summary>
    private ScriptMachine TakeBest(Script script)
    {
        int thread = Environment.CurrentManagedThreadId;
        int best = 0;
        int bestScore = -1;
        for (int i = 0; i < _idle.Count; i++)
        {
            int score = (_idle[i].Has(script) ? 2 : 0) + (_idle[i].LastThreadId == thread ? 1 : 0);
            if (score <= bestScore)
                continue;
            best = i;
            bestScore = score;
        }
        var machine = _idle[best];
        _idle.RemoveAt(best);
        _leastIdle = Math.Min(_leastIdle, _idle.Count);
        return machine;
    }

    [GeneratedRegex(@"^[A-Za-z_$][A-Za-z0-9_$]*\z")]
    private static partial Regex Identifier();

    private readonly record struct ScriptKey(ScriptEnvironment Environment, string Source, string Parameters);
}
